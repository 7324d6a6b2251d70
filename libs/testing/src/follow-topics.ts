import { randomUUID } from 'node:crypto'
import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import { SupervisedConsumer } from '@surehook/kafka/consumer/supervised-consumer'
import { partitionKey } from '@surehook/kafka/topics/partition-key'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import type { Logger } from 'pino'
import { silent } from './database.ts'

export type FollowTopicsOptions = {
  kafka: Kafka
  topics: readonly string[]
  /** Skips messages before these offsets, which `endsOf` returns. */
  after?: LogEnds
  log: Logger
  /** Receives the messages of a partition in order, each at least once. */
  take: (message: KafkaMessage, topic: string) => void | Promise<void>
}

/** End offset of each partition, by partition key. */
export type LogEnds = ReadonlyMap<string, number>

/** Reads topics from their beginning in its own consumer group, until it is disposed. */
export function followTopics(options: FollowTopicsOptions): SupervisedConsumer {
  const { kafka, topics, after, log, take } = options
  return new SupervisedConsumer({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics,
    fromBeginning: true,
    concurrency: 1,
    log,
    eachBatch: async ({ batch, commitOffsetsIfNecessary, resolveOffset, heartbeat }) => {
      const { topic, partition, messages } = batch
      const end = after?.get(partitionKey(batch)) ?? 0
      const fresh = messages.filter(({ offset }) => Number(offset) >= end)
      for (const message of fresh) await take(message, topic)
      const offset = String(BigInt(batch.lastOffset()) + 1n)
      await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] })
      resolveOffset(batch.lastOffset())
      await heartbeat()
    },
  })
}

/**
 * Current end offsets of topics. A group that begins at the end resolves the end with its first
 * fetch, some time after its join. Records written in between would be missing.
 */
export function endsOf(kafka: Kafka, topics: readonly string[]): Promise<LogEnds> {
  const signal = AbortSignal.timeout(120_000)
  // A broker may lead a new topic a moment later than the metadata say.
  return retryUntilReady('the ends of topics', () => readEnds(kafka, topics), {
    log: silent,
    signal,
  })
}

function readEnds(kafka: Kafka, topics: readonly string[]): Promise<LogEnds> {
  return withAdmin(kafka, async (admin) => {
    const ends = topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(
        ({ partition, high }) => [partitionKey({ topic, partition }), Number(high)] as const,
      ),
    )
    return new Map((await Promise.all(ends)).flat())
  })
}
