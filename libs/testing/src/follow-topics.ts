import { randomUUID } from 'node:crypto'
import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'
import { SupervisedConsumer } from '@surehook/kafka/consumer/supervised-consumer'
import type { Logger } from 'pino'

export type FollowTopicsOptions = {
  kafka: Kafka
  topics: readonly string[]
  /** Otherwise from the end that the topics have when the group is joined. */
  fromBeginning: boolean
  log: Logger
  /** Gets the messages of a partition in their order, each at least once. */
  take: (message: KafkaMessage, topic: string) => void | Promise<void>
}

/** Reads topics in a consumer group of its own until it is disposed; wait for `ready` before you write. */
export function followTopics(options: FollowTopicsOptions): SupervisedConsumer {
  const { kafka, topics, fromBeginning, log, take } = options
  return new SupervisedConsumer({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics,
    fromBeginning,
    concurrency: 1,
    log,
    eachBatch: async ({ batch, commitOffsetsIfNecessary, resolveOffset, heartbeat }) => {
      const { topic, partition, messages } = batch
      for (const message of messages) await take(message, topic)
      const offset = String(BigInt(batch.lastOffset()) + 1n)
      await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] })
      resolveOffset(batch.lastOffset())
      await heartbeat()
    },
  })
}
