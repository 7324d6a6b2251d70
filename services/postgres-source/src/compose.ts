import { auditCalls } from '@surehook/access/audit/audited-call'
import { createRequestLimits } from '@surehook/access/limits/request-limits'
import { connectionRoom, createTenantSlots } from '@surehook/access/limits/tenant-slots'
import { openPlatformAccess, type PlatformAccess } from '@surehook/access/management-access'
import { managementCaller } from '@surehook/access/management-caller'
import { purgeDeleted, purgeKey } from '@surehook/access/purge-deleted'
import { openDatabaseService } from '@surehook/change-capture/open-platform-service'
import { environmentPurgesTopic } from '@surehook/contracts/topics'
import type { Messaging } from '@surehook/kafka/messaging'
import { check } from '@surehook/service-kit/check'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import type { Service } from '@surehook/service-kit/lifecycle'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import { openBackgroundRedis } from '@surehook/service-kit/redis/background-redis'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { type Config, service } from './config.ts'
import { type ConnectDeps, connectionOf, createConnect } from './connection/connect.ts'
import { hostLookup } from './connection/host-lookup.ts'
import { deleteSource } from './left-slots/left-slot-store.ts'
import { openLeftSlots } from './left-slots/left-slots.ts'
import { type SourceMetrics, sourceMetrics } from './metrics.ts'
import { leaseS, SourceLeases } from './runs/source-leases.ts'
import { openSourceRuns } from './runs/source-runs.ts'
import { createDropSource, type DropSource } from './sources/drop-source.ts'
import { purgeEnvironment } from './sources/purge-environment.ts'
import { createUrlReEncryption } from './sources/re-encrypt-urls.ts'
import { sourceRoutes } from './sources/source-routes.ts'
import { openSourceTables } from './tables/source-tables.ts'

/**
 * Requests that were admitted before their environment was deleted have ended after this time, and
 * runs of its sources with their leases. Slots that they left are then dropped as well.
 */
const settleMs = (leaseS + 10) * 1_000

export type PostgresSource = Service & { readonly ports: { api: number; internal: number } }

/** Opens the parts of the process. They close in reverse order. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  host: Host = ownProcess,
): Promise<PostgresSource> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(
    await openDatabaseService({
      ...{ service, config, log, signal, host },
      connections: { requests: 4, background: 4 },
      probe: 'select from source limit 1',
    }),
  )
  const { tracer, metrics, internal, messaging, pool, background, wait } = opened
  const { kafka, codec, producer } = messaging
  const viewing = { kafka, codec, clientId: config.kafka.clientId, log }
  const access = opening.use(await wait('kafka', () => openPlatformAccess(viewing)))
  const tables = opening.use(await wait('kafka', () => openSourceTables(viewing)))
  await wait('platform state', () => Promise.all([access.ready, tables.ready]))
  const redis = opening.use(openBackgroundRedis(config.redis, log))
  const ofSources = sourceMetrics(metrics)
  const connecting = connectDeps(config, ofSources)
  const { box, guard } = connecting
  const connect = createConnect(connecting)
  const runs = opening.use(
    openSourceRuns(new SourceLeases(background), {
      ...{ pool: background, connect, tables, producer, codec, metrics: ofSources, log },
      connectionOf: (row) => connectionOf(row, connecting),
    }),
  )
  const remove = (id: string) => deleteSource(pool, id).then(() => runs.stop(id))
  const drop = createDropSource({ connect, remove, log })
  opening.use(openLeftSlots({ pool: background, connect, metrics: ofSources, log }))
  opening.use(openPurge({ pool: background, access, drop, messaging, log }))
  opening.use(openReEncryption(config, { pool: background, log }))
  const limits = createRequestLimits({
    ...{ api: 'data', defaults: config.limits, access, metrics, log },
    redis: () => redis.client,
  })
  const authorize = managementCaller(access, limits)
  const slots = createTenantSlots(connectionRoom(pool, { each: 1 / 2 }))
  const routes = sourceRoutes({ pool, slots, box, guard, access, authorize, tables, drop })
  const serving = { ...config.http, log, metrics, tracer, around: auditCalls }
  const api = opening.use(await host.openApiServer({ ...serving, routes }))

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        tables: () => check(tables.healthy, 'the view of tables is not current'),
        platform: () => check(access.healthy, 'the view of environments and tokens is not current'),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const connectDeps = (config: Config, { tooLong }: SourceMetrics): ConnectDeps => ({
  box: createSecretBox(...config.encryptionKeys),
  guard: new AddressGuard(config.allowedNetworks, hostLookup),
  limit: { bytes: config.maxMessageBytes, onExceeded: () => tooLong.inc() },
})

type PurgeDeps = {
  pool: Pool
  access: PlatformAccess
  drop: DropSource
  messaging: Pick<Messaging, 'codec' | 'producer'>
  log: Logger
}

const openPurge = ({ pool, access, drop, messaging: { codec, producer }, log }: PurgeDeps) =>
  purgeDeleted({
    service,
    pool,
    deleted: () => access.deletedEnvironments(),
    isDeleted: async ({ projectId, environment }) =>
      !(await access.environmentExists(projectId, environment)),
    purge: (tenant, mayGoOn) => purgeEnvironment(pool, tenant, { drop, mayGoOn }),
    // The runs have ended, and each waited for what it had sent.
    relayed: () => Promise.resolve(),
    publish: (purge) => {
      const value = codec.environmentPurge.encode(purge)
      return producer.send([{ topic: environmentPurgesTopic, key: purgeKey(purge), value }])
    },
    settleMs,
    log,
  })

/** Without a previous key, none can have encrypted anything. */
function openReEncryption(
  { encryptionKeys }: Pick<Config, 'encryptionKeys'>,
  { pool, log }: Pick<PurgeDeps, 'pool' | 'log'>,
): AsyncDisposable {
  const run = createUrlReEncryption(encryptionKeys, log)
  const jobs = encryptionKeys.length > 1 ? [{ name: 'URLs of sources', run }] : []
  return openExpiryDeletion({ pool, jobs, log })
}
