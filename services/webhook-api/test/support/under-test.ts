import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { SubscriptionState } from '@surehook/contracts/events'
import {
  environmentsTopic,
  managementTokensTopic,
  subscriptionsTopic,
  topicTable,
} from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import type { Kafka } from '@surehook/kafka/client/surface'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import { AppError } from '@surehook/service-kit/errors'
import { createLogger, type Logger } from '@surehook/service-kit/telemetry/log'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { openTestDatabase, type TestDatabase } from '@surehook/testing/service-database'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'

export const log = createLogger('test', process.env['TEST_LOG_LEVEL'] ?? 'silent')
export const encryptionKey = randomBytes(32)

// The system tests use the same number, because they may run on the same stack.
const partitions = '4'

export type Stack = {
  databaseUrl: string
  kafkaBrokers: string
  schemaRegistryUrl: string
}

export const sharedStack = (): Stack => ({
  databaseUrl: process.env['TEST_DATABASE_URL'] ?? '',
  kafkaBrokers: process.env['TEST_KAFKA_BROKERS'] ?? '',
  schemaRegistryUrl: process.env['TEST_REGISTRY_URL'] ?? '',
})

export type Running = AsyncDisposable & { readonly api: string; readonly internal: string }

export type World = AsyncDisposable & {
  database: TestDatabase
  codec: EventCodec
  kafka: Kafka
  producer: EventProducer
  config: Config
  /** Starts the service on free ports. */
  startService(change?: Partial<Config>, logger?: Logger): Promise<Running>
  /** Returns the current content of `webhook.subscriptions`, by subscription id. */
  subscriptionStates(): Promise<ReadonlyMap<string, SubscriptionState>>
  /** Creates an environment, and a token that is valid for its whole project. */
  tenant(environment?: string): Promise<Tenant>
  token(projectId: string, limits?: TokenLimits): Promise<string>
  revocableToken(projectId: string): Promise<{ tokenId: string; token: string }>
}

export type Tenant = { projectId: string; environment: string; token: string }
export type TokenLimits = { environments?: string[]; expiresAt?: string }

/** Opens the real parts around the service that are not under test. */
export async function openWorld(stack: Stack = sharedStack()): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log })
  await ensureTopics(kafka, topicTable(['1s', '5s', '30s', '5m']), {
    mainPartitions: Number(partitions),
    replicationFactor: 1,
    log,
    signal: AbortSignal.timeout(30_000),
  })
  const codec = await openEventCodec({ registryUrl: stack.schemaRegistryUrl })
  const producer = opening.use(await openProducer(kafka, { log }))
  const database = opening.use(
    await openTestDatabase({
      adminUrl: stack.databaseUrl,
      service: {
        service,
        migrationsDir: new URL('../../migrations', import.meta.url).pathname,
        captures: true,
      },
      keyEncryptionKey: encryptionKey,
      log,
    }),
  )
  const config = Object.freeze({ ...configOf(stack, database), slot: database.slot })
  const states = new Map<string, SubscriptionState>()
  const view = opening.use(
    await openTopicView({
      kafka,
      codec,
      clientId: 'test',
      topics: [subscriptionsTopic],
      apply: (_topic, key, value) => {
        if (value === null) states.delete(key)
        else states.set(key, value as SubscriptionState)
      },
      log,
    }),
  )
  const world = { database, codec, kafka, producer, config }
  const resources = opening.move()
  return {
    ...world,
    startService: (change = {}, logger = log) => startService({ ...config, ...change }, logger),
    async subscriptionStates() {
      await caughtUp(view)
      return states
    },
    tenant: (environment = 'master') => addTenant(world, environment),
    token: async (projectId, limits = {}) => (await addToken(world, projectId, limits)).token,
    revocableToken: (projectId) => addToken(world, projectId, {}),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** After an outage the tests' own view needs a moment to catch up. */
async function caughtUp(view: TopicView): Promise<void> {
  const isCurrent = () =>
    view.barrier().then(
      () => true,
      (err: unknown) => {
        if (err instanceof AppError) return false
        throw err
      },
    )
  await waitUntil(isCurrent, { what: 'the view of the topic', timeoutMs: 30_000 })
}

function configOf(stack: Stack, database: TestDatabase): Config {
  return readConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: database.databaseUrl,
    KAFKA_BROKERS: stack.kafkaBrokers,
    KAFKA_PARTITIONS: partitions,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    KEY_ENCRYPTION_KEY: encryptionKey.toString('base64'),
  })
}

async function startService(config: Config, logger: Logger): Promise<Running> {
  const stop = new AbortController()
  const running = await compose(config, logger, stop.signal)
  await running.start(stop.signal)
  return {
    api: `http://127.0.0.1:${running.ports.api}`,
    internal: `http://127.0.0.1:${running.ports.internal}`,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running[Symbol.asyncDispose]()
    },
  }
}

type Parts = Pick<World, 'codec' | 'producer'>

async function addTenant(world: Parts, environment: string): Promise<Tenant> {
  const projectId = `p-${randomUUID()}`
  const updatedAt = new Date().toISOString()
  const state = { projectId, environment, settings: '{}', updatedAt, deletedAt: null, keyEpoch: 0 }
  await world.producer.send([
    {
      topic: environmentsTopic,
      key: `${projectId}/${environment}`,
      value: world.codec.environment.encode(state),
    },
  ])
  return { projectId, environment, token: (await addToken(world, projectId, {})).token }
}

async function addToken(
  { codec, producer }: Parts,
  projectId: string,
  { environments, expiresAt }: TokenLimits,
): Promise<{ tokenId: string; token: string }> {
  const token = `mt_${randomBytes(32).toString('base64url')}`
  const id = randomUUID()
  const state = {
    id,
    projectId,
    name: 'test',
    tokenHash: createHash('sha256').update(token).digest('hex'),
    environments: environments ?? null,
    createdAt: new Date().toISOString(),
    expiresAt: expiresAt ?? null,
  }
  const value = codec.managementToken.encode(state)
  await producer.send([{ topic: managementTokensTopic, key: id, value }])
  return { tokenId: id, token }
}
