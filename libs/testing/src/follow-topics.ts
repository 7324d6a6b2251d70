import { randomUUID } from 'node:crypto'
import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import { SupervisedConsumer } from '@surehook/kafka/consumer/supervised-consumer'
import { partitionKey } from '@surehook/kafka/topics/partition-key'
import type { Logger } from 'pino'

export type FollowTopicsOptions = {
  kafka: Kafka
  topics: readonly string[]
  /** Leaves out what was there before: the answer of `endsOf`. */
  after?: LogEnds
  log: Logger
  /** Gets the messages of a partition in their order, each at least once. */
  take: (message: KafkaMessage, topic: string) => void | Promise<void>
}

/** Where partitions end, by their key. */
export type LogEnds = ReadonlyMap<string, number>

/** Reads topics from their beginning in a consumer group of its own, until it is disposed. */
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
 * The ends of topics at this moment. A group that begins at the end asks for it only with its first fetch,
 * some time after its join: what is written in between would be missing.
 */
export function endsOf(kafka: Kafka, topics: readonly string[]): Promise<LogEnds> {
  return withAdmin(kafka, async (admin) => {
    const ends = topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(
        ({ partition, high }) => [partitionKey({ topic, partition }), Number(high)] as const,
      ),
    )
    return new Map((await Promise.all(ends)).flat())
  })
}
