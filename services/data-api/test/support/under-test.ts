import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { environmentsTopic, managementTokensTopic, topicTable } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import { createLogger, type Logger } from '@surehook/service-kit/telemetry/log'
import { openTestDatabase, type TestDatabase } from '@surehook/testing/service-database'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'
import { type ChangeLog, openChangeLog } from './change-log.ts'
import { type Issuer, openIssuer } from './issuer.ts'

export const log = createLogger('test', process.env['TEST_LOG_LEVEL'] ?? 'silent')

export type Running = AsyncDisposable & { readonly api: string; readonly internal: string }
export type Tenant = { projectId: string; environment: string; token: string }

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
type TokenLimits = { environments?: string[]; expiresAt?: string }

/** Opens the real parts around the service that are not under test. */
export async function openWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const broker = process.env['TEST_KAFKA_BROKERS'] ?? ''
  const registryUrl = process.env['TEST_REGISTRY_URL'] ?? ''
  const kafka = createKafka({ brokers: [broker], clientId: 'test', log })
  await ensureTopics(kafka, topicTable(['1s', '5s', '30s', '5m']), {
    mainPartitions: 4,
    replicationFactor: 1,
    log,
    signal: AbortSignal.timeout(30_000),
  })
  const codec = await openEventCodec({ registryUrl })
  const producer = opening.use(await openProducer(kafka, { log }))
  const database = opening.use(await openDatabase())
  const changes = opening.use(await openChangeLog(kafka, codec))
  const issuer = opening.use(await openIssuer({ codec, producer }))
  const config = Object.freeze({
    ...readConfig({
      PORT: '0',
      INTERNAL_PORT: '0',
      DATABASE_URL: database.databaseUrl,
      KAFKA_BROKERS: broker,
      SCHEMA_REGISTRY_URL: registryUrl,
      KAFKA_PARTITIONS: '4',
      AUTH_SERVICE_URL: issuer.url,
      PUBLIC_URL: issuer.publicUrl,
      SERVICE_TOKEN: issuer.serviceToken,
    }),
    slot: database.slot,
  })
  const resources = opening.move()
  return {
    database,
    config,
    changes,
    issuer,
    startService: (change = {}, logger = log) => startService({ ...config, ...change }, logger),
    tenant: (name = {}) => addTenant({ codec, producer }, name),
    setUp: (tenant, settings, keyEpoch = 0) =>
      putEnvironment(producer, codec, { ...tenant, settings, keyEpoch }),
    token: (projectId, limits = {}) => addToken({ codec, producer }, projectId, limits),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function openDatabase(): Promise<TestDatabase> {
  return openTestDatabase({
    adminUrl: process.env['TEST_DATABASE_URL'] ?? '',
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

type Parts = { codec: EventCodec; producer: EventProducer }

async function addTenant(
  parts: Parts,
  { projectId = `p-${randomUUID()}`, environment = 'master' }: Partial<Tenant>,
): Promise<Tenant> {
  await putEnvironment(parts.producer, parts.codec, { projectId, environment, settings: {} })
  return { projectId, environment, token: await addToken(parts, projectId, {}) }
}

async function putEnvironment(
  producer: EventProducer,
  codec: EventCodec,
  of: { projectId: string; environment: string; settings: object; keyEpoch?: number },
): Promise<void> {
  const { projectId, environment } = of
  const updatedAt = new Date().toISOString()
  const settings = JSON.stringify(of.settings)
  const value = codec.environment.encode({
    projectId,
    environment,
    settings,
    updatedAt,
    deletedAt: null,
    keyEpoch: of.keyEpoch ?? 0,
  })
  await producer.send([{ topic: environmentsTopic, key: `${projectId}/${environment}`, value }])
}

async function addToken(
  { codec, producer }: Parts,
  projectId: string,
  { environments, expiresAt }: TokenLimits,
): Promise<string> {
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
  return token
}
