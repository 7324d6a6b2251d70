import {
  attemptsTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { Admin, Kafka, SeekEntry } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'

/** Consumer groups that must have finished a record before it may go. */
const dispatcher = 'webhook-dispatcher'
const log = 'webhook-api'

/**
 * Who reads a topic that is trimmed; `null` for any other. Dead letters wait for nobody: they are put
 * back from the log.
 */
export function readersOf(topic: string): readonly string[] | null {
  if (topic === deliveriesTopic) return [dispatcher, log]
  if (topic === attemptsTopic) return [log]
  if (topic === pausedTopic || topic.startsWith(retryTopic(''))) return [dispatcher]
  return topic === deadLetterTopic ? [] : null
}

const dayMs = 86_400_000

/**
 * What was appended before this time may go. A row is kept to the end of its day, `historyDays` after that on which
 * its job was made; its body is on `webhook.deliveries` for longer, also if the clocks of brokers and services
 * differ by some hours, or its day could not be dropped at once.
 */
export const trimmedBefore = (historyDays: number, now: number): number =>
  now - (historyDays + 2) * dayMs

export type PartitionState = {
  partition: number
  /** First offset that is there. */
  low: number
  /** Of the first record that is younger than the history, or the end. */
  young: number
  /** Commit of each reader; -1 where it has none. */
  committed: readonly number[]
}

/** Up to where a partition may be deleted: everything below is old, and finished by every reader. */
export function trimOffset({ low, young, committed }: PartitionState): number | null {
  const offset = Math.min(young, ...committed)
  return offset > low ? offset : null
}

/**
 * Deletes what is older than the history and finished from the delivery topics. Their records never
 * expire by age alone: a job may wait for as long as its subscription is inactive, and is open all the
 * while, so that the commit of its partition stays below it.
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
  // The commits first: what is committed meanwhile is trimmed the next time.
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
