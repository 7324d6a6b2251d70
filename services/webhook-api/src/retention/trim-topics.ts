import { dispatcherGroup, historyGroup } from '@surehook/contracts/groups'
import {
  attemptsTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { Admin, Kafka, SeekEntry } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'

/**
 * Returns the groups that must have finished a record of a trimmed topic before it is deleted, or `null` for any other topic. Dead letters have no
 * reader: recoveries read the log.
 */
export function readersOf(topic: string): readonly string[] | null {
  if (topic === deliveriesTopic) return [dispatcherGroup, historyGroup]
  if (topic === attemptsTopic) return [historyGroup]
  if (topic === pausedTopic || topic.startsWith(retryTopic(''))) return [dispatcherGroup]
  return topic === deadLetterTopic ? [] : null
}

const dayMs = 86_400_000

/**
 * The time before which records may be deleted. A row is kept for `historyDays` after the day of
 * its job. Its body on `webhook.deliveries` is kept two days longer, because clocks may differ by
 * hours and a day may be dropped late.
 */
export const trimmedBefore = (historyDays: number, now: number): number =>
  now - (historyDays + 2) * dayMs

export type PartitionState = {
  partition: number
  /** The first existing offset. */
  low: number
  /** The offset of the first record within the history, or the end. */
  young: number
  /** The commit of each reader; -1 if it has none. */
  committed: readonly number[]
}

/** Returns the offset below which everything is old and finished by every reader, or `null`. */
export function trimOffset({ low, young, committed }: PartitionState): number | null {
  const offset = Math.min(young, ...committed)
  return offset > low ? offset : null
}

/**
 * Deletes records from the delivery topics that are older than the history and finished. They never
 * expire by age alone: a job may wait as long as its subscription is inactive, and its partition's
 * commit stays below it meanwhile.
 */
export function trimTopics(kafka: Kafka, olderThan: number): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    const trimmed: string[] = []
    for (const topic of await admin.listTopics()) {
      const groups = readersOf(topic)
      if (groups !== null && (await trimTopic(admin, { topic, groups, olderThan }))) {
        trimmed.push(topic)
      }
    }
    return trimmed
  })
}

type Trim = { topic: string; groups: readonly string[]; olderThan: number }

async function trimTopic(admin: Admin, trim: Trim): Promise<boolean> {
  const { topic } = trim
  const states = await partitionStates(admin, trim)
  const partitions = states.flatMap((state) => {
    const offset = trimOffset(state)
    return offset === null ? [] : [{ partition: state.partition, offset: String(offset) }]
  })
  if (partitions.length === 0) return false
  await admin.deleteTopicRecords({ topic, partitions })
  return true
}

async function partitionStates(
  admin: Admin,
  { topic, groups, olderThan }: Trim,
): Promise<PartitionState[]> {
  // The commits are read first; later ones are trimmed next time.
  const commits = await Promise.all(
    groups.map(async (groupId) => (await admin.fetchOffsets({ groupId, topics: [topic] }))[0]),
  )
  const young = await admin.fetchTopicOffsetsByTimestamp(topic, olderThan)
  const logs = await admin.fetchTopicOffsets(topic)
  return logs.map(({ partition, low }) => ({
    partition,
    low: Number(low),
    young: offsetOf(young, partition),
    committed: commits.map((commit) => offsetOf(commit?.partitions ?? [], partition)),
  }))
}

const offsetOf = (offsets: readonly SeekEntry[], partition: number): number =>
  Number(offsets.find((entry) => entry.partition === partition)?.offset ?? -1)
