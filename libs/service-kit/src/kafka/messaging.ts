import { type EventCodec, openEventCodec } from '@surehook/contracts/codec'
import { type TopicSpec, topicTable } from '@surehook/contracts/topics'
import type { Kafka } from 'kafkajs'
import type { Logger } from 'pino'
import { retryUntilReady } from '../lifecycle.ts'
import type { Metrics } from '../metrics.ts'
import { createKafka } from './client.ts'
import { type EventProducer, openProducer } from './producer.ts'
import { ensureTopics } from './topics.ts'

export type MessagingConfig = {
  kafka: {
    brokers: readonly string[]
    clientId: string
    partitions: number
    replicationFactor: number
  }
  registryUrl: string
} & (
  | {
      /** Names of the retry topics of the platform's topics. */
      delayNames: readonly string[]
    }
  | { topicTable: readonly TopicSpec[] }
)

export type Messaging = AsyncDisposable & {
  readonly kafka: Kafka
  readonly codec: EventCodec
  readonly producer: EventProducer
}

/** Waits for Kafka and the registry, sees to topics and schemas, and opens the producer. */
export async function openMessaging(
  config: MessagingConfig,
  { log, metrics, signal }: { log: Logger; metrics: Metrics; signal: AbortSignal },
): Promise<Messaging> {
  const { brokers, clientId, partitions: mainPartitions, replicationFactor } = config.kafka
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })
  const kafka = createKafka({ brokers, clientId, log })
  const topics = 'topicTable' in config ? config.topicTable : topicTable(config.delayNames)
  await wait('kafka', () =>
    ensureTopics(kafka, topics, { mainPartitions, replicationFactor, log, signal }),
  )
  const codec = await wait('schema registry', () =>
    openEventCodec({ registryUrl: config.registryUrl, log }),
  )
  const producer = await wait('kafka', () => openProducer(kafka, { log, metrics }))
  return { kafka, codec, producer, [Symbol.asyncDispose]: () => producer[Symbol.asyncDispose]() }
}
