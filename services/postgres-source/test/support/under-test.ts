import type { EnvironmentPurge, SourceColumnsState } from '@surehook/contracts/events'
import type { TableSource } from '@surehook/contracts/http/data/table-source'
import { environmentPurgesTopic, sourceColumnsTopic, tablesTopic } from '@surehook/contracts/topics'
import { openProducer } from '@surehook/kafka/producer/producer'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { type ChangeLog, openChangeLog } from '@surehook/testing/change-log'
import { createDatabase, query, type TestDatabase } from '@surehook/testing/database'
import {
  log,
  openClients,
  partitions,
  type Running,
  sharedStack,
  startComposed,
} from '@surehook/testing/platform-service'
import { redisUrlAs } from '@surehook/testing/redis-user'
import { openTestDatabase, patientUrl } from '@surehook/testing/service-database'
import {
  environmentRecord,
  publishTenant,
  publishToken,
  type Tenant,
  type TokenLimits,
} from '@surehook/testing/tenants'
import { Client } from 'pg'
import { compose } from '../../src/compose.ts'
import { type Config, readConfig, service } from '../../src/config.ts'

export type { Running } from '@surehook/testing/platform-service'
export type { Tenant } from '@surehook/testing/tenants'

export type World = AsyncDisposable & {
  config: Config
  changes: ChangeLog
  /** Starts the service on free ports. */
  startService(change?: Partial<Config>): Promise<Running>
  tenant(): Promise<Tenant>
  token(projectId: string, limits?: TokenLimits): Promise<string>
  /** Publishes that the environment was deleted. */
  deleteEnvironment(tenant: Tenant): Promise<void>
  /** The columns that were published last for a table. */
  columnsOf(tenant: Tenant, table: string): Promise<SourceColumnsState['columns'] | undefined>
  /** True once the service has published that it purged the environment. */
  isPurged(tenant: Tenant): Promise<boolean>
  /** Publishes a table of a source, as data-api does. `null` drops it. */
  table(tenant: Tenant, name: string, source: TableSource | null): Promise<void>
}

/** Opens the real parts around the service that are not under test. */
export async function openWorld(): Promise<World> {
  await using opening = new AsyncDisposableStack()
  const stack = sharedStack()
  const { kafka, codec } = await openClients(stack)
  const producer = opening.use(await openProducer(kafka, { log }))
  const keyEncryptionKey = Buffer.alloc(32, 'test')
  const migrationsDir = new URL('../../migrations', import.meta.url).pathname
  const database = opening.use(
    await openTestDatabase({
      ...{ adminUrl: stack.databaseUrl, keyEncryptionKey, log },
      service: { service, migrationsDir },
    }),
  )
  const changes = opening.use(await openChangeLog(kafka, codec))
  const config = readConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: patientUrl(database.databaseUrl),
    KAFKA_BROKERS: stack.kafkaBrokers,
    SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
    KAFKA_PARTITIONS: partitions,
    KEY_ENCRYPTION_KEY: keyEncryptionKey.toString('base64'),
    SOURCE_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    ...(stack.redisUrl && { REDIS_URL: await redisUrlAs(service, stack.redisUrl) }),
  })
  const states = new Map<string, SourceColumnsState | EnvironmentPurge>()
  const view = opening.use(
    await openTopicView<SourceColumnsState | EnvironmentPurge>({
      ...{ kafka, codec, clientId: 'test', log },
      topics: [sourceColumnsTopic, environmentPurgesTopic],
      apply: (_topic, key, state) =>
        void (state === null ? states.delete(key) : states.set(key, state)),
    }),
  )
  const stateOf = async ({ projectId, environment }: Tenant, of: string) => {
    await view.barrier()
    return states.get(`${projectId}/${environment}/${of}`)
  }
  const resources = opening.move()
  return {
    ...{ config, changes },
    async columnsOf(tenant, table) {
      const state = await stateOf(tenant, table)
      return state !== undefined && 'columns' in state ? state.columns : undefined
    },
    isPurged: async (tenant) => (await stateOf(tenant, service)) !== undefined,
    token: (projectId, tokenLimits) => publishToken({ codec, producer }, projectId, tokenLimits),
    startService: (change = {}) =>
      startComposed((signal) => compose({ ...config, ...change }, log, signal)),
    tenant: () => publishTenant({ codec, producer }),
    deleteEnvironment: ({ projectId, environment }) =>
      producer.send([
        environmentRecord(codec, { projectId, environment, deletedAt: new Date().toISOString() }),
      ]),
    table({ projectId, environment }, name, source) {
      const now = new Date().toISOString()
      const state = { projectId, environment, name, columns: [], access: '[]', source }
      const value =
        source === null ? null : codec.table.encode({ ...state, updatedAt: now, createdAt: now })
      return producer.send([
        { topic: tablesTopic, key: `${projectId}/${environment}/${name}`, value },
      ])
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A database of a project, with a table `orders` that is ready to be captured. */
export type Shop = AsyncDisposable & {
  database: TestDatabase
  client: Client
  url: string
  /** Its URL behind another port of this host. */
  urlAt(port: number): string
  slots(): Promise<string[]>
}

const createOrders = 'create table orders (id int primary key, state text)'

/** Makes a table `orders` that is ready to be captured. */
export const prepareShop = (url: string) =>
  query(
    url,
    `${createOrders}; alter table orders replica identity full;
     create publication surehook for table orders`,
  )

export async function openShop({ isPrepared = true } = {}): Promise<Shop> {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await createDatabase())
  const client = opening.adopt(new Client({ connectionString: database.url }), (open) => open.end())
  await client.connect()
  if (isPrepared) await prepareShop(database.url)
  else await client.query(createOrders)
  const resources = opening.move()
  const url = `${database.url}?sslmode=disable`
  return {
    ...{ database, client, url },
    urlAt(port) {
      const at = new URL(url)
      at.port = String(port)
      return at.href
    },
    async slots() {
      const rows = await query(
        database.url,
        'select slot_name from pg_replication_slots where database = current_database()',
      )
      return rows.map(({ slot_name }) => String(slot_name))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
