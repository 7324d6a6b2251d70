import { randomUUID } from 'node:crypto'
import { createKafka } from '@surehook/kafka/client/client'
import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { silent } from './database.ts'
import { rawKafka } from './raw-kafka.ts'
import { until } from './until.ts'

export const registryUrl = process.env['TEST_REGISTRY_URL'] ?? ''

export function testKafka(brokers = process.env['TEST_KAFKA_BROKERS'] ?? ''): Kafka {
  return createKafka({ brokers: [brokers], clientId: 'test', log: silent })
}

export type TestTopic = { partitions?: number; config?: Record<string, string>; name?: string }

/** Creates a topic for one test. */
export async function makeTopic(kafka: Kafka, options: TestTopic = {}): Promise<string> {
  const { partitions = 1, config = {}, name = `test-${randomUUID()}` } = options
  await ensureTopics(kafka, [{ name, partitions: 'main', config }], {
    mainPartitions: partitions,
    replicationFactor: 1,
    log: silent,
    signal: AbortSignal.timeout(120_000),
  })
  return name
}

export const compacted = { 'cleanup.policy': 'compact' }

/** Reads `topic` from its beginning until `done` returns true for the messages so far. */
export async function readUntil(
  kafka: Kafka,
  topic: string,
  done: (messages: readonly KafkaMessage[]) => boolean,
): Promise<KafkaMessage[]> {
  const consumer = rawKafka(kafka).consumer({
    groupId: `test-${randomUUID()}`,
    maxWaitTimeInMs: 100,
  })
  const messages: KafkaMessage[] = []
  let isEnough = false
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachBatch: async ({ batch }) => {
      messages.push(...batch.messages)
      isEnough ||= done(messages)
    },
  })
  try {
    await until(() => isEnough, { what: done.toString() })
  } finally {
    await consumer.disconnect()
  }
  return messages
}

export async function endOf(kafka: Kafka, topic: string): Promise<number> {
  const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))
  return ends.reduce((sum, { high }) => sum + Number(high), 0)
}
