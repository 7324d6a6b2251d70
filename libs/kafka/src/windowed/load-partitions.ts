import { setTimeout as wait } from 'node:timers/promises'
import type { Admin } from '../client/surface.ts'
import { fetchGroupCommits } from '../offsets/group-commits.ts'
import type { LogEnds } from '../offsets/log-ends.ts'
import { LookBack } from '../offsets/look-back.ts'
import type { TruncatedLogs } from '../offsets/truncated-logs.ts'
import { AssignedPartition } from './assigned-partition.ts'
import type { PartitionCount } from './partition-count.ts'
import type { WindowedConsumerOptions } from './windowed-consumer-options.ts'

export type LoadPartitionsOptions = Pick<
  WindowedConsumerOptions,
  'groupId' | 'topics' | 'window' | 'budget' | 'tenantTopics' | 'log'
> & {
  admin: Admin
  ends: LogEnds
  count: PartitionCount
  /** Truncated partitions are read from their beginning, regardless of their commit. */
  truncated: TruncatedLogs
}

/** An assigned partition, and the first offset of its log. */
export type LoadedPartition = { assignment: AssignedPartition; logStart: number }

export type LoadTarget = {
  /** The partitions that are not loaded yet. */
  missing: () => number[]
  open: (loaded: readonly LoadedPartition[]) => void
  isOver: () => boolean
}

export const retryMs = 500

/**
 * Counts the partitions, then opens each missing one once it is loaded. Retries until none is
 * missing, or it is over.
 */
export async function loadMissing(target: LoadTarget, of: LoadPartitionsOptions): Promise<void> {
  const { missing, isOver } = target
  let warnedOf = ''
  for (let isCounted = false; (!isCounted || missing().length > 0) && !isOver(); ) {
    try {
      await of.count.refresh()
      isCounted = true
      if (!isOver()) await loadOnce(target, of)
      if (isOver()) return
      const leaderless = missing()
      if (leaderless.length > 0 && String(leaderless) !== warnedOf) {
        of.log.warn({ partitions: leaderless }, 'consumer.leaderless')
      }
      warnedOf = String(leaderless)
    } catch (err) {
      of.log.warn({ err, partitions: missing() }, 'consumer.assignment.retry')
    }
    if (!isCounted || missing().length > 0) await wait(retryMs)
  }
}

async function loadOnce(
  { missing, open, isOver }: LoadTarget,
  of: LoadPartitionsOptions,
): Promise<void> {
  const loaded = await loadPartitions(missing(), of)
  // Another load, of a truncated log, may have been faster.
  const still = isOver() ? [] : missing()
  const isMissing = ({ assignment }: LoadedPartition) => still.includes(assignment.partition)
  for (const each of loaded) if (!isMissing(each)) each.assignment.revoke('loaded elsewhere')
  if (!isOver()) open(loaded.filter(isMissing))
}

/**
 * Loads gained partitions with the positions that the group has committed. Leaves out a partition
 * that has no leader in one of the topics.
 */
async function loadPartitions(
  gained: readonly number[],
  of: LoadPartitionsOptions,
): Promise<LoadedPartition[]> {
  if (gained.length === 0) return []
  const { admin, ends, window, budget, tenantTopics = [] } = of
  const bounds = await ends.readLed(gained)
  if (bounds.length === 0) return []
  const commitOf = await fetchGroupCommits(admin, of)
  return bounds.map(({ topic, partition, start: logStart, end }) => {
    const commit = commitOf(topic, partition)
    const isUsable = commit.offset >= 0 && !of.truncated.has({ topic, partition })
    const assignment = new AssignedPartition({
      topic,
      partition,
      // The metadata is relative to the commit, even if the log now begins after it.
      committed: isUsable ? commit.offset : logStart,
      isAdded: commit.offset < 0 && commitOf.any(topic),
      logStart,
      metadata: isUsable ? commit.metadata : null,
      end,
      shared: tenantTopics.includes(topic) ? window : undefined,
      budget,
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
