import { setTimeout as sleep } from 'node:timers/promises'
import { changesTopic, type TopicSpec } from '@surehook/contracts/topics'
import type { Logger } from 'pino'
import type { Admin, Kafka } from '../client/surface.ts'
import { withAdmin } from '../client/with-admin.ts'

export type GrownTopic = { topic: string; from: number; to: number }

export type GrowOptions = { partitions: number; log: Pick<Logger, 'info'> }

const pollMs = 50
const leadersWithinMs = 15_000

/**
 * Adds partitions to the existing topics of class `main`: first to those of deliveries, last to
 * `changes`, and waits for their leaders. A repetition continues where the first call ended. Rejects
 * if a topic has more partitions already.
 */
export function growTopics(
  kafka: Pick<Kafka, 'admin'>,
  specs: readonly TopicSpec[],
  { partitions, log }: GrowOptions,
): Promise<GrownTopic[]> {
  return withAdmin(kafka, async (admin) => {
    const counts = await countsOf(admin, specs)
    refuseFewer(counts, partitions)
    const grown = counts
      .filter(({ from }) => from < partitions)
      .map(({ topic, from }) => ({ topic, from, to: partitions }))
    const changes = grown.filter(({ topic }) => topic === changesTopic)
    const deliveries = grown.filter(({ topic }) => topic !== changesTopic)
    for (const together of [deliveries, changes]) {
      if (together.length === 0) continue
      const topicPartitions = together.map(({ topic, to }) => ({ topic, count: to }))
      await admin.createPartitions({ topicPartitions })
      await waitForLeaders(admin, topicPartitions)
      log.info({ topics: together }, 'topics.grown')
    }
    return grown
  })
}

async function countsOf(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<{ topic: string; from: number }[]> {
  const existing = new Set(await admin.listTopics())
  const main = specs.filter(({ name, partitions }) => partitions === 'main' && existing.has(name))
  if (main.length === 0) return []
  const { topics } = await admin.fetchTopicMetadata({ topics: main.map(({ name }) => name) })
  return topics.map(({ name, partitions }) => ({ topic: name, from: partitions.length }))
}

/** Brokers learn of new partitions one after another, and elect their leaders meanwhile. */
async function waitForLeaders(
  admin: Admin,
  wanted: readonly { topic: string; count: number }[],
): Promise<void> {
  const deadline = performance.now() + leadersWithinMs
  for (;;) {
    const names = wanted.map(({ topic }) => topic)
    const topics = await topicsOf(admin, names)
    const ledOf = (topic: string) =>
      topics.find(({ name }) => name === topic)?.partitions.filter(({ leader }) => leader >= 0)
    const missing = wanted.find(({ topic, count }) => (ledOf(topic)?.length ?? 0) < count)
    if (missing === undefined) return
    if (performance.now() > deadline)
      throw new Error(
        `Not all partitions of ${missing.topic} have a leader: run it again when they have one`,
      )
    await sleep(pollMs)
  }
}

/** Returns an empty list if a partition has no leader, for which kafkajs rejects. */
async function topicsOf(admin: Admin, names: string[]) {
  try {
    return (await admin.fetchTopicMetadata({ topics: names })).topics
  } catch (err) {
    if (err instanceof Error && 'type' in err) return []
    throw err
  }
}

/** Kafka cannot remove partitions. */
function refuseFewer(counts: readonly { topic: string; from: number }[], wanted: number): void {
  const largest = counts.find(({ from }) => from > wanted)
  if (largest === undefined) return
  throw new Error(
    `Topic ${largest.topic} has ${largest.from} partitions, and ${wanted} are asked for: Kafka cannot ` +
      `remove partitions. Set KAFKA_PARTITIONS to ${largest.from} or more`,
  )
}
