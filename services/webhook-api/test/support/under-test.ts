import { randomBytes } from 'node:crypto'
import type { SubscriptionState } from '@surehook/contracts/events'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
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
import {
  environmentRecord,
  publishRevocableToken,
  publishTenant,
  publishToken,
  type Tenant,
  type TokenLimits,
} from '@surehook/testing/tenants'
import { type Issuer, openIssuer } from '@surehook/testing/user-issuer'
import type { Pool } from 'pg'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'

export { log, type Running, sharedStack } from '@surehook/testing/platform-service'
export type { Tenant } from '@surehook/testing/tenants'

export const encryptionKey = randomBytes(32)

export type World = AsyncDisposable & {
  database: TestDatabase
  /** In the role of the service. */
  pool: Pool
  /** The history's database, in the same role. */
  historyPool: Pool
  codec: EventCodec
  kafka: Kafka
  producer: EventProducer
  /** Stands in for auth-service. */
  issuer: Issuer
  config: Config
  /** Starts the service on free ports. */
  startService(change?: Partial<Config>, logger?: Logger): Promise<Running>
  /** Returns the current content of `webhook.subscriptions`, by subscription id. */
  subscriptionStates(): Promise<ReadonlyMap<string, SubscriptionState>>
  /** Creates an environment, and a token that is valid for its whole project. */
  tenant(environment?: string): Promise<Tenant>
  token(projectId: string, limits?: TokenLimits): Promise<string>
  revocableToken(projectId: string): Promise<{ tokenId: string; token: string }>
  /** Changes the settings of an environment, as auth-service publishes them. */
  setUp(tenant: Tenant, settings: object, keyEpoch?: number): Promise<void>
}

/**
 * Opens the real parts around the service that are not under test.
 * @param own a stack whose parts may be killed: users of Redis do not survive that
 */
export async function openWorld(own?: Stack): Promise<World> {
  const stack = own ?? sharedStack()
  await using opening = new AsyncDisposableStack()
  const { kafka, codec } = await openClients(stack)
  const producer = opening.use(await openProducer(kafka, { log }))
  const issuer = opening.use(await openIssuer({ codec, producer }))
  const database = opening.use(
    await openTestDatabase({
      adminUrl: stack.databaseUrl,
      service: {
        service,
        migrationsDir: new URL('../../migrations', import.meta.url).pathname,
        captures: true,
      },
      siblings: { history: new URL('../../migrations/history', import.meta.url).pathname },
      keyEncryptionKey: encryptionKey,
      log,
    }),
  )
  const connectionString = database.databaseUrl
  const openTestPool = (url: string) =>
    opening.adopt(openPool({ connectionString: url, applicationName: 'test', log }), (open) =>
      open.end(),
    )
  const [pool, historyPool] = [
    openTestPool(connectionString),
    openTestPool(siblingUrl(connectionString, 'history')),
  ]
  const redisUrl = own?.redisUrl ?? (await redisUrlAs(service, stack.redisUrl))
  const config = Object.freeze({
    ...configOf({ ...stack, redisUrl }, database),
    users: { ...issuer, maxFailedTokensPerMinute: 100 },
    slot: database.slot,
  })
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
  const world = { database, pool, historyPool, codec, kafka, producer, issuer, config }
  const resources = opening.move()
  return {
    ...world,
    startService: (change = {}, logger = log) =>
      startComposed((signal) => compose({ ...config, ...change }, logger, signal)),
    async subscriptionStates() {
      await caughtUp(view)
      return states
    },
    tenant: (environment = 'master') => publishTenant(world, { environment }),
    token: (projectId, limits) => publishToken(world, projectId, limits),
    revocableToken: (projectId) => publishRevocableToken(world, projectId),
    setUp: (tenant, settings, keyEpoch = 0) =>
      producer.send([environmentRecord(codec, { ...tenant, settings, keyEpoch })]),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function configOf(stack: Stack, database: TestDatabase): Config {
  return readConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: patientUrl(database.databaseUrl),
    KAFKA_BROKERS: stack.kafkaBrokers,
    KAFKA_PARTITIONS: partitions,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    KEY_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    ...(stack.redisUrl && { REDIS_URL: stack.redisUrl }),
  })
}
