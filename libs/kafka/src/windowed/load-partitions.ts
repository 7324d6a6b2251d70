import type { Admin } from 'kafkajs'
import { fetchGroupCommits } from '../offsets/group-commits.ts'
import type { TruncatedLogs } from '../offsets/truncated-logs.ts'
import { AssignedPartition } from './assigned-partition.ts'
import type { WindowedConsumerOptions } from './windowed-consumer-options.ts'

export type LoadPartitionsOptions = Pick<
  WindowedConsumerOptions,
  'groupId' | 'topics' | 'window' | 'tenants'
> & {
  admin: Admin
  /** They are read from their beginning, whatever is committed. */
  truncated: Pick<TruncatedLogs, 'has'>
}

/** The log begins at `logStart`. */
export type LoadedPartition = { assignment: AssignedPartition; logStart: number }

/** Assigned partitions of partitions that were gained, as the group has committed them. */
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
          // Its metadata counts from the commit, also when the log begins after it by now.
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
