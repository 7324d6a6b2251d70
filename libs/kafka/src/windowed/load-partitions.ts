import type { Admin } from '../client/surface.ts'
import { fetchGroupCommits } from '../offsets/group-commits.ts'
import type { LogEnds } from '../offsets/log-ends.ts'
import { LookBack } from '../offsets/look-back.ts'
import type { TruncatedLogs } from '../offsets/truncated-logs.ts'
import { AssignedPartition } from './assigned-partition.ts'
import type { WindowedConsumerOptions } from './windowed-consumer-options.ts'

export type LoadPartitionsOptions = Pick<
  WindowedConsumerOptions,
  'groupId' | 'topics' | 'window' | 'tenants' | 'log'
> & {
  admin: Admin
  ends: LogEnds
  /** Truncated partitions are read from their beginning, regardless of their commit. */
  truncated: TruncatedLogs
}

/** An assigned partition, and the first offset of its log. */
export type LoadedPartition = { assignment: AssignedPartition; logStart: number }

/**
 * Loads gained partitions with the positions that the group has committed. Leaves out a partition
 * that has no leader in one of the topics.
 */
export async function loadPartitions(
  gained: readonly number[],
  of: LoadPartitionsOptions,
): Promise<LoadedPartition[]> {
  const { admin, ends, window, tenants, log } = of
  const bounds = await ends.readLed(gained)
  const leaderless = gained.filter((one) => !bounds.some(({ partition }) => partition === one))
  if (leaderless.length > 0) log.warn({ partitions: leaderless }, 'consumer.leaderless')
  const commitOf = await fetchGroupCommits(admin, of)
  return bounds.map(({ topic, partition, start: logStart, end }) => {
    const commit = commitOf(topic, partition)
    const isUsable = commit.offset >= 0 && !of.truncated.has({ topic, partition })
    const assignment = new AssignedPartition({
      topic,
      partition,
      // The metadata is relative to the commit, even if the log now begins after it.
      committed: isUsable ? commit.offset : logStart,
      logStart,
      metadata: isUsable ? commit.metadata : null,
      end,
      shared: tenants?.topics.includes(topic) ? window : undefined,
    })
    return { assignment, logStart }
  })
}

/** @param loaded the logs of one partition, of which some may have messages below their commit */
export function lookBackOver(
  loaded: readonly LoadedPartition[],
  lookBack: WindowedConsumerOptions['lookBack'],
): LookBack<AssignedPartition> {
  const behind = loaded.filter(
    ({ assignment, logStart }) =>
      lookBack?.topics.includes(assignment.topic) && logStart < assignment.committed,
  )
  const assignments = behind.map(({ assignment }) => assignment)
  return new LookBack(lookBack?.bytes ?? 0, assignments)
}
