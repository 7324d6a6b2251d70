import type { Admin } from '../client/surface.ts'
import { fetchGroupCommits } from '../offsets/group-commits.ts'
import type { TruncatedLogs } from '../offsets/truncated-logs.ts'
import { AssignedPartition } from './assigned-partition.ts'
import type { WindowedConsumerOptions } from './windowed-consumer-options.ts'

export type LoadPartitionsOptions = Pick<
  WindowedConsumerOptions,
  'groupId' | 'topics' | 'window' | 'tenants'
> & {
  admin: Admin
  /** Truncated partitions are read from their beginning, regardless of their commit. */
  truncated: Pick<TruncatedLogs, 'has'>
}

/** An assigned partition, and the first offset of its log. */
export type LoadedPartition = { assignment: AssignedPartition; logStart: number }

/** Loads gained partitions with the positions that the group has committed. */
export async function loadPartitions(
  gained: readonly number[],
  of: LoadPartitionsOptions,
): Promise<LoadedPartition[]> {
  const { admin, topics, window, tenants } = of
  const [commitOf, ...logs] = await Promise.all([
    fetchGroupCommits(admin, of),
    ...topics.map((topic) => admin.fetchTopicOffsets(topic)),
  ])
  return topics.flatMap((topic, index) =>
    (logs[index] ?? [])
      .filter(({ partition }) => gained.includes(partition))
      .map(({ partition, low, high }) => {
        const commit = commitOf(topic, partition)
        const logStart = Number(low)
        const isUsable = commit.offset >= 0 && !of.truncated.has({ topic, partition })
        const assignment = new AssignedPartition({
          topic,
          partition,
          // The metadata is relative to the commit, even if the log now begins after it.
          committed: isUsable ? commit.offset : logStart,
          logStart,
          metadata: isUsable ? commit.metadata : null,
          end: Number(high),
          shared: tenants?.topics.includes(topic) ? window : undefined,
        })
        return { assignment, logStart }
      }),
  )
}
