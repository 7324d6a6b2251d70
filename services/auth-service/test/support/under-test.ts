import type { EnvironmentState, ManagementTokenState } from '@surehook/contracts/events'
import { environmentsTopic, managementTokensTopic, topicTable } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { openEventCodec } from '@surehook/schemas/codec'
import { AppError } from '@surehook/service-kit/errors'
import { createLogger, type Logger } from '@surehook/service-kit/telemetry/log'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { openTestDatabase, type TestDatabase } from '@surehook/testing/service-database'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'

export const log = createLogger('test', process.env['TEST_LOG_LEVEL'] ?? 'silent')
export const adminToken = 'admin-token-of-the-tests'
export const serviceToken = 'service-token-of-the-tests'
export const publicUrl = 'https://auth.example'

// The system tests use the same number, because they may run on the same stack.
const partitions = '4'
// One for all tests: the password of the service's role is derived from it, and roles belong to the
// whole cluster.
export const encryptionKey = Buffer.alloc(32, 'test')

export type Stack = {
  databaseUrl: string
  kafkaBrokers: string
  schemaRegistryUrl: string
  redisUrl: string
}

export const sharedStack = (): Stack => ({
  databaseUrl: process.env['TEST_DATABASE_URL'] ?? '',
  kafkaBrokers: process.env['TEST_KAFKA_BROKERS'] ?? '',
  schemaRegistryUrl: process.env['TEST_REGISTRY_URL'] ?? '',
  redisUrl: process.env['TEST_REDIS_URL'] ?? '',
})

export type Running = AsyncDisposable & { readonly api: string; readonly internal: string }

export type PlatformState = {
  environments: ReadonlyMap<string, EnvironmentState>
  tokens: ReadonlyMap<string, ManagementTokenState>
}

export type World = AsyncDisposable & {
  database: TestDatabase
  /** Starts the service, on free ports unless the change names others. */
  startService(change?: Partial<Config>, logger?: Logger): Promise<Running>
  /** Returns the current content of the platform's topics, by key. */
  platformState(): Promise<PlatformState>
}

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
  const state = {
    environments: new Map<string, EnvironmentState>(),
    tokens: new Map<string, ManagementTokenState>(),
  }
  const view = opening.use(
    await openTopicView({
      kafka,
      codec,
      clientId: 'test',
      topics: [environmentsTopic, managementTokensTopic],
      apply: (topic, key, value) => {
        const known: Map<string, unknown> =
          topic === environmentsTopic ? state.environments : state.tokens
        if (value === null) known.delete(key)
        else known.set(key, value)
      },
      log,
    }),
  )
  const config = configOf(stack, database)
  const resources = opening.move()
  return {
    database,
    startService: (change = {}, logger = log) => startService({ ...config, ...change }, logger),
    async platformState() {
      await caughtUp(view)
      return state
    },
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
  await waitUntil(isCurrent, { what: 'the view of the topics', timeoutMs: 30_000 })
}

function configOf(stack: Stack, { databaseUrl, slot }: TestDatabase): Config {
  const config = readConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: stack.kafkaBrokers,
    KAFKA_PARTITIONS: partitions,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    REDIS_URL: stack.redisUrl,
    KEY_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    PLATFORM_ADMIN_TOKEN: adminToken,
    SERVICE_TOKEN: serviceToken,
    PUBLIC_URL: publicUrl,
    // Nothing listens there: mails stay in the outbox unless a test sets a server.
    SMTP_URL: 'smtp://127.0.0.1:1',
    // On a busy machine, a refused hash would hide the result under test.
    AUTH_HASH_MAX_WAIT: '60s',
    // Independent of the machine: these tests do not measure.
    UV_THREADPOOL_SIZE: '1024',
  })
  return { ...config, slot }
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
