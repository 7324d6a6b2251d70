import type { EnvironmentState, ManagementTokenState } from '@surehook/contracts/events'
import { environmentsTopic, managementTokensTopic } from '@surehook/contracts/topics'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import {
  caughtUp,
  log,
  openClients,
  partitions,
  type Running,
  type Stack,
  sharedStack,
  startComposed,
} from '@surehook/testing/platform-service'
import { redisUrlAs } from '@surehook/testing/redis-user'
import { openTestDatabase, patientUrl, type TestDatabase } from '@surehook/testing/service-database'
import { type ServiceProcess, startServiceProcess } from '@surehook/testing/service-process'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'

export { log, type Running, sharedStack } from '@surehook/testing/platform-service'

export const adminToken = 'admin-token-of-the-tests'
export const serviceToken = 'service-token-of-the-tests'
export const publicUrl = 'https://auth.example'

// One for all tests: the password of the service's role is derived from it, and roles belong to the
// whole cluster.
export const encryptionKey = Buffer.alloc(32, 'test')

export type PlatformState = {
  environments: ReadonlyMap<string, EnvironmentState>
  tokens: ReadonlyMap<string, ManagementTokenState>
}

export type World = AsyncDisposable & {
  database: TestDatabase
  /** Starts the service, on free ports unless the change names others. */
  startService(change?: Partial<Config>, logger?: Logger): Promise<Running>
  /** Starts the service as a process of its own, with these variables too. */
  startProcess(change?: NodeJS.ProcessEnv): Promise<ServiceProcess>
  /** Returns the current content of the platform's topics, by key. */
  platformState(): Promise<PlatformState>
}

/**
 * Opens the real parts around the service that are not under test.
 * @param own a stack whose parts may be killed: users of Redis do not survive that
 */
export async function openWorld(own?: Stack): Promise<World> {
  const stack = own ?? sharedStack()
  await using opening = new AsyncDisposableStack()
  const { kafka, codec } = await openClients(stack)
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
  const redisUrl = own?.redisUrl ?? (await redisUrlAs(service, stack.redisUrl))
  const env = envOf({ ...stack, redisUrl }, database)
  const { slot } = database
  const config = { ...readConfig(env), slot }
  const resources = opening.move()
  return {
    database,
    startService: (change = {}, logger = log) =>
      startComposed((signal) => compose({ ...config, ...change }, logger, signal)),
    startProcess: (change = {}) =>
      startServiceProcess(entry, { ...env, ...change, TEST_SLOT: slot }),
    async platformState() {
      await caughtUp(view)
      return state
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const entry = new URL('run-service.ts', import.meta.url).pathname

function envOf(stack: Stack, { databaseUrl }: TestDatabase) {
  return {
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: patientUrl(databaseUrl),
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
  }
}
