import { randomBytes, randomUUID } from 'node:crypto'
import type {
  DeliveryAttempt,
  DeliveryJob,
  InvalidMessage,
  SubscriptionState,
} from '@surehook/contracts/events'
import type { NewChange } from '@surehook/contracts/events/new-change'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { invalidTopic, type TopicSpec } from '@surehook/contracts/topics'
import { walPositionHeader } from '@surehook/contracts/wal-position'
import { createKafka } from '@surehook/kafka/client/client'
import { ConfigResourceTypes, type Kafka } from '@surehook/kafka/client/surface'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { type ChangePublisher, openChangePublisher } from '@surehook/publisher'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import { followTopics } from '@surehook/testing/follow-topics'
import { log } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, type Topics } from '../../src/config.ts'

/** The records that the matcher wrote, in order. */
export type WrittenRecords = {
  jobs: DeliveryJob[]
  jobBytes: Buffer[]
  deadLetters: DeliveryJob[]
  attempts: DeliveryAttempt[]
  invalid: InvalidMessage[]
}

export type World = AsyncDisposable & {
  readonly config: Config
  readonly codec: EventCodec
  readonly kafka: Kafka
  readonly producer: EventProducer
  readonly written: WrittenRecords
  startMatcher(): Promise<AsyncDisposable & { internal: string }>
  /** Resolves when the state is acknowledged, like an answer of webhook-api. */
  subscribe(state?: Partial<SubscriptionState>, walPosition?: string): Promise<SubscriptionState>
  unsubscribe(id: string, walPosition?: string): Promise<void>
  /** Resolves when the changes are acknowledged. */
  publish(...changes: Partial<NewChange>[]): Promise<void>
  /** Resolves when the broker refuses larger batches on the deliveries topic. */
  limitDeliveries(bytes: number): Promise<void>
  /** Waits until there are this many jobs. */
  jobs(count: number, timeoutMs?: number): Promise<DeliveryJob[]>
}

/** Opens a matcher's surroundings on real Kafka and registry, with their own topics. */
export async function openWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const config = testConfig()
  const kafka = createKafka({ brokers: config.kafka.brokers, clientId: 'test', log })
  await ensureTopics(kafka, config.topicTable, {
    mainPartitions: config.kafka.partitions,
    replicationFactor: 1,
    log,
    signal: AbortSignal.timeout(120_000),
  })
  const codec = await openEventCodec({ registryUrl: config.registryUrl })
  const producer = opening.use(await openProducer(kafka, { log }))
  const publisher = opening.use(
    await openChangePublisher({
      brokers: config.kafka.brokers,
      schemaRegistryUrl: config.registryUrl,
      source: 'test',
      topic: config.topics.changes,
    }),
  )
  const written = await collect(opening, { config, kafka, codec })
  const resources = opening.move()
  return {
    ...{ config, codec, kafka, producer, written },
    startMatcher: () => startMatcher(config),
    ...subscribing({ config, codec, producer }),
    publish: (...changes) => publish(publisher, changes),
    limitDeliveries: (bytes) => limitTopic(kafka, config.topics.deliveries, bytes),
    async jobs(count, timeoutMs = 90_000) {
      const isThere = () => written.jobs.length >= count
      await until(isThere, { what: `${count} jobs`, timeoutMs, everyMs: 5 })
      return written.jobs
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function testConfig(): Config {
  const suffix = randomBytes(4).toString('hex')
  const topics: Topics = {
    changes: `changes-${suffix}`,
    subscriptions: `subscriptions-${suffix}`,
    deliveries: `deliveries-${suffix}`,
    deadLetter: `dead-letter-${suffix}`,
    attempts: `attempts-${suffix}`,
  }
  const config = { 'max.message.bytes': '2097152' }
  const main = [topics.changes, topics.deliveries, topics.deadLetter, topics.attempts]
  const one = [
    topics.subscriptions,
    invalidTopic(topics.changes),
    invalidTopic(topics.subscriptions),
  ]
  const topicTable: TopicSpec[] = [
    ...main.map((name) => ({ name, partitions: 'main' as const, config })),
    ...one.map((name) => ({ name, partitions: 'one' as const, config })),
  ]
  const read = readConfig({
    INTERNAL_PORT: '0',
    KAFKA_BROKERS: process.env['TEST_KAFKA_BROKERS'],
    SCHEMA_REGISTRY_URL: process.env['TEST_REGISTRY_URL'],
    KAFKA_PARTITIONS: '4',
    WEBHOOK_MAX_BODY: '100000',
  })
  return { ...read, topics, topicTable, groupId: `matcher-${suffix}` }
}

async function collect(
  opening: AsyncDisposableStack,
  { config, kafka, codec }: Pick<World, 'config' | 'kafka' | 'codec'>,
): Promise<WrittenRecords> {
  const written: WrittenRecords = {
    jobs: [],
    jobBytes: [],
    deadLetters: [],
    attempts: [],
    invalid: [],
  }
  const { topics } = config
  const take: Record<string, (value: Buffer) => Promise<unknown>> = {
    [topics.deliveries]: async (value) => {
      written.jobBytes.push(value)
      written.jobs.push(await codec.job.decode(value))
    },
    [topics.deadLetter]: async (value) => written.deadLetters.push(await codec.job.decode(value)),
    [topics.attempts]: async (value) => written.attempts.push(await codec.attempt.decode(value)),
    [invalidTopic(topics.changes)]: async (value) =>
      written.invalid.push(await codec.invalid.decode(value)),
    [invalidTopic(topics.subscriptions)]: async (value) =>
      written.invalid.push(await codec.invalid.decode(value)),
  }
  const consumer = opening.use(
    followTopics({
      kafka,
      topics: Object.keys(take),
      take: async ({ value }, topic) => {
        if (value !== null) await take[topic]?.(value)
      },
      log,
    }),
  )
  await consumer.ready
  return written
}

async function limitTopic(kafka: Kafka, topic: string, bytes: number): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const type = ConfigResourceTypes.TOPIC
  const entry = { name: 'max.message.bytes', value: String(bytes) }
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type, name: topic, configEntries: [entry] }],
  })
  const isLimited = async () => {
    const found = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type, name: topic, configNames: [entry.name] }],
    })
    return found.resources[0]?.configEntries[0]?.configValue === entry.value
  }
  await until(isLimited, { what: 'the limit of the topic' })
  await admin.disconnect()
}

async function startMatcher(config: Config) {
  const stop = new AbortController()
  const matcher = await compose(config, log, stop.signal)
  await matcher.start(stop.signal)
  return {
    internal: `http://127.0.0.1:${matcher.internalPort}`,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await matcher[Symbol.asyncDispose]()
    },
  }
}

function subscribing({ config, codec, producer }: Pick<World, 'config' | 'codec' | 'producer'>) {
  const topic = config.topics.subscriptions
  const headersAt = (walPosition: string | undefined) =>
    walPosition === undefined ? {} : { headers: { [walPositionHeader]: walPosition } }
  return {
    async subscribe(change: Partial<SubscriptionState> = {}, walPosition?: string) {
      const state = aSubscription({ id: randomUUID(), ...change })
      const value = codec.subscription.encode(state)
      await producer.send([{ topic, key: state.id, value, ...headersAt(walPosition) }])
      return state
    },
    async unsubscribe(id: string, walPosition?: string) {
      await producer.send([{ topic, key: id, value: null, ...headersAt(walPosition) }])
    },
  }
}

async function publish(publisher: ChangePublisher, changes: Partial<NewChange>[]): Promise<void> {
  const place = { projectId: 'shop', environment: 'master', table: 'orders' }
  const what = { recordId: 'r1', operation: 'INSERT' as const, record: { id: 'r1' } }
  await publisher.publish(changes.map((change) => ({ ...place, ...what, ...change })))
}
