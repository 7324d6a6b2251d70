import { type TopicSpec, topicTable } from '@surehook/contracts/topics'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { createKafka } from './client/client.ts'
import type { Kafka } from './client/surface.ts'
import type { KafkaConnection } from './config/kafka-connection.ts'
import { type EventProducer, openProducer, type ProducerOptions } from './producer/producer.ts'
import { awaitTopics, ensureTopics } from './topics/topics.ts'

export type MessagingConfig = {
  kafka: KafkaConnection
  registryUrl: string
  registrySecurity: RegistrySecurity
} & (
  | {
      /** Names of the delays of the platform's retry topics. */
      delayNames: readonly string[]
    }
  | { topicTable: readonly TopicSpec[] }
)

export type Messaging = AsyncDisposable & {
  readonly kafka: Kafka
  readonly codec: EventCodec
  readonly producer: EventProducer
}

/** Waits for Kafka and the registry, ensures topics and schemas, and opens the producer. */
export async function openMessaging(
  config: MessagingConfig,
  options: { metrics: Metrics; signal: AbortSignal } & ProducerOptions,
): Promise<Messaging> {
  const { log, metrics, signal } = options
  const { partitions: mainPartitions, replicationFactor, createTopics } = config.kafka
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })
  const kafka = createKafka({ ...config.kafka, log, metrics })
  const topics = 'topicTable' in config ? config.topicTable : topicTable(config.delayNames)
  const classes = { mainPartitions, replicationFactor, log, signal }
  await wait('kafka', () =>
    createTopics ? ensureTopics(kafka, topics, classes) : awaitTopics(kafka, topics, classes),
  )
  const { registryUrl, registrySecurity } = config
  const codec = await wait('schema registry', () =>
    openEventCodec({ registryUrl, registrySecurity, log }),
  )
  const producer = await wait('kafka', () => openProducer(kafka, options))
  return { kafka, codec, producer, [Symbol.asyncDispose]: () => producer[Symbol.asyncDispose]() }
}
