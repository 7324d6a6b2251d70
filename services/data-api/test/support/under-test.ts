import { openProducer } from '@surehook/kafka/producer/producer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { type ChangeLog, openChangeLog } from '@surehook/testing/change-log'
import {
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
  publishTenant,
  publishToken,
  type Tenant,
  type TokenLimits,
} from '@surehook/testing/tenants'
import { type Issuer, openIssuer } from '@surehook/testing/user-issuer'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'

export { log, type Running } from '@surehook/testing/platform-service'
export type { Tenant } from '@surehook/testing/tenants'

export type World = AsyncDisposable & {
  database: TestDatabase
  config: Config
  changes: ChangeLog
  /** Stands in for auth-service. */
  issuer: Issuer
  /** Starts the service on free ports. */
  startService(change?: Partial<Config>, logger?: Logger): Promise<Running>
  /** Creates an environment, and a token that is valid for its whole project. */
  tenant(name?: Partial<Pick<Tenant, 'projectId' | 'environment'>>): Promise<Tenant>
  token(projectId: string, limits?: TokenLimits): Promise<string>
  /** Changes the settings of an environment, as auth-service publishes them. */
  setUp(tenant: Tenant, settings: object, keyEpoch?: number): Promise<void>
}

/** Opens the real parts around the service that are not under test. */
export async function openWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const stack = sharedStack()
  const { kafka, codec } = await openClients(stack)
  const producer = opening.use(await openProducer(kafka, { log }))
  const database = opening.use(await openDatabase(stack))
  const changes = opening.use(await openChangeLog(kafka, codec))
  const issuer = opening.use(await openIssuer({ codec, producer }))
  const config = Object.freeze({
    ...readConfig({
      PORT: '0',
      INTERNAL_PORT: '0',
      DATABASE_URL: patientUrl(database.databaseUrl),
      KAFKA_BROKERS: stack.kafkaBrokers,
      SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
      KAFKA_PARTITIONS: partitions,
      AUTH_SERVICE_URL: issuer.url,
      PUBLIC_URL: issuer.publicUrl,
      SERVICE_TOKEN: issuer.serviceToken,
      ...(stack.redisUrl && { REDIS_URL: await redisUrlAs(service, stack.redisUrl) }),
    }),
    slot: database.slot,
  })
  const resources = opening.move()
  return {
    database,
    config,
    changes,
    issuer,
    startService: (change = {}, logger = log) =>
      startComposed((signal) => compose({ ...config, ...change }, logger, signal)),
    tenant: (name) => publishTenant({ codec, producer }, name),
    setUp: (tenant, settings, keyEpoch = 0) =>
      producer.send([environmentRecord(codec, { ...tenant, settings, keyEpoch })]),
    token: (projectId, limits) => publishToken({ codec, producer }, projectId, limits),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function openDatabase({ databaseUrl }: Stack): Promise<TestDatabase> {
  return openTestDatabase({
    adminUrl: databaseUrl,
    service: {
      service,
      migrationsDir: new URL('../../migrations', import.meta.url).pathname,
      captures: true,
      mayCreateSchemas: true,
    },
    keyEncryptionKey: Buffer.alloc(32, 'test'),
    log,
  })
}
