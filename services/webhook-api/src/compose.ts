import { adminGate } from '@surehook/access/admin-gate'
import { auditCalls } from '@surehook/access/audit/audited-call'
import { createRequestLimits } from '@surehook/access/limits/request-limits'
import { openPlatformAccess, type PlatformAccess } from '@surehook/access/management-access'
import { managementCaller } from '@surehook/access/management-caller'
import { purgeDeleted } from '@surehook/access/purge-deleted'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { openPlatformService } from '@surehook/change-capture/open-platform-service'
import type { Relay } from '@surehook/change-capture/relay/relay'
import { historyGroup, matcherGroup } from '@surehook/contracts/groups'
import { attemptsTopic, changesTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import type { Messaging } from '@surehook/kafka/messaging'
import type { LogReader } from '@surehook/kafka/readers/log-reader'
import { check } from '@surehook/service-kit/check'
import { createReEncryption } from '@surehook/service-kit/crypto/re-encrypt'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import { endedKeys } from '@surehook/service-kit/idempotency/once-per-key'
import type { Service } from '@surehook/service-kit/lifecycle'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import {
  type BackgroundRedis,
  openBackgroundRedis,
} from '@surehook/service-kit/redis/background-redis'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Router } from 'express'
import { runAlerts } from './alerts/run-alerts.ts'
import { cancelDeliveries } from './cancellation/cancel-deliveries.ts'
import { cancellationRoutes } from './cancellation/cancellation-routes.ts'
import { openChangeLog } from './change-log/open-change-log.ts'
import { type Config, service } from './config.ts'
import { type Circuits, createCircuits } from './endpoints/circuits.ts'
import { endpointRoutes } from './endpoints/endpoint-routes.ts'
import { endpointsOfTenants } from './endpoints/endpoints.ts'
import { runDisableFailing } from './failing/disable-failing.ts'
import { runDisableGone } from './failing/disable-gone.ts'
import { forgetFailures } from './failing/failing-store.ts'
import { hasReadAll } from './failing/log-progress.ts'
import { outcomeNotes } from './failing/note-outcomes.ts'
import { historyRoutes } from './history/history-routes.ts'
import { openHistory } from './history/open-history.ts'
import { openDeliveryLog } from './history/write/delivery-log.ts'
import { createInspection } from './inspect/create-inspection.ts'
import { inspectionRoutes } from './inspect/inspection-routes.ts'
import { installationRoutes } from './installation/installation-routes.ts'
import { ledgerRoutes } from './ledger/ledger-routes.ts'
import { openLedgers } from './ledger/open-ledgers.ts'
import { runHistoryMove } from './rebuild/move-history.ts'
import { openRebuilds } from './rebuild/open-rebuilds.ts'
import { rebuildRoutes } from './rebuild/rebuild-routes.ts'
import { capturedRecord } from './redelivery/jobs/emit-jobs.ts'
import { openRedelivery } from './redelivery/open-redelivery.ts'
import { redeliveryRoutes } from './redelivery/redelivery-routes.ts'
import { cancelReplays, endedReplays } from './redelivery/replay/replay-store.ts'
import { runHistoryDeletion } from './retention/delete-expired-history.ts'
import { purgeEnvironment } from './retention/purge-environment.ts'
import { openStreams } from './stream/open-streams.ts'
import { openUsers } from './stream/open-users.ts'
import { type StreamUsers, streamCaller } from './stream/stream-caller.ts'
import { streamRoutes } from './stream/stream-routes.ts'
import { runCompleteVersions } from './subscriptions/complete-versions.ts'
import { manageSubscriptions } from './subscriptions/manage-subscriptions.ts'
import { reEncryptRoutes } from './subscriptions/re-encryption/re-encrypt-routes.ts'
import { createSecretReEncryption } from './subscriptions/re-encryption/re-encrypt-secrets.ts'
import { runSettleFilters } from './subscriptions/settle-filters.ts'
import { webhookRoutes } from './subscriptions/webhook-routes.ts'
import { type KnownTables, openKnownTables } from './tables/known-tables.ts'
import { keyTable } from './tenants/keyed-writer.ts'
import {
  connections,
  type Database,
  openDatabase,
  openHistoryPools,
  type Pools,
} from './tenants/open-database.ts'
import { serveTenants } from './tenants/serve-tenants.ts'
import type { Tenant } from './tenants/tenant.ts'

/** Requests that were admitted before their environment was deleted have ended after this time. */
const longestRequestMs = 10_000

export type WebhookApi = Service & { readonly ports: { api: number; internal: number } }

/** Opens the parts of the process. They close in reverse order. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  host: Host = ownProcess,
): Promise<WebhookApi> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(
    await openPlatformService({
      ...{ service, config, log, signal, host },
      probe: 'select from subscription limit 1',
      toRecord: capturedRecord,
      connections,
      topic: subscriptionsTopic,
    }),
  )
  const { tracer, metrics, internal, messaging, pool, relay, wait } = opened
  const history = openHistoryPools(opening, { ...config, applicationName: service, log })
  const background = { pool: opened.background, historyPool: history.background }
  const pools = { pool, historyPool: history.requests, background }
  const { kafka, codec, producer } = messaging
  await wait('relay', async () => check(relay.healthy, 'does not hold its slot yet'))
  const viewing = { kafka, codec, clientId: config.kafka.clientId, log }
  const access = opening.use(await wait('kafka', () => openPlatformAccess(viewing)))
  await wait('platform state', () => access.ready)
  const tables = opening.use(await wait('kafka', () => openKnownTables(viewing)))
  await wait('tables', () => tables.ready)
  const shared = { config, messaging, access, metrics, log }
  const users = opening.use(await openUsers(shared))
  await wait('revocations', () => users.ready)
  const management = opening.use(
    openManagement({ ...shared, ...pools, relay, tables, users: users.admitted }),
  )
  const { routes, noteOutcomes, streams } = management
  const following = { ...config, ...background, service, noteOutcomes, log, metrics }
  const deliveryLog = opening.use(openDeliveryLog(messaging, following))
  opening.use(runHistoryMove({ ...background, log }))
  const api = opening.use(
    await host.openApiServer({ ...config.http, log, metrics, tracer, routes, around: auditCalls }),
  )
  // The server waits for open answers when it closes.
  opening.defer(() => streams.endAll())

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        relay: () => check(relay.healthy, 'state is not relayed'),
        revocations: () => check(users.healthy, 'the view of revocations is not current'),
        tables: () => check(tables.healthy, 'the view of tables is not current'),
        platform: () => check(access.healthy, 'the view of environments and tokens is not current'),
        deliveries: () => check(deliveryLog.healthy, 'the delivery log does not follow its topics'),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type ManagementDeps = Pools & {
  config: Config
  background: Pools
  messaging: Messaging
  relay: Relay
  access: PlatformAccess
  tables: KnownTables
  users: StreamUsers | null
  log: Logger
  metrics: Metrics
}

type SubscriptionParts = Database & Pick<ManagementDeps, 'config' | 'access' | 'tables' | 'log'>

function openSubscriptions(open: AsyncDisposableStack, parts: SubscriptionParts) {
  const { config, access, background } = parts
  return manageSubscriptions({
    ...parts,
    settling: open.use(runSettleFilters({ ...parts, ...background })),
    forgetFailures,
    cancelReplays,
    box: createSecretBox(...config.encryptionKeys),
    environmentExists: (...names) => access.environmentExists(...names),
    maxSubscriptions: config.maxSubscriptions,
    retryLadder: config.retryLadder,
  })
}

type PurgeParts = Pools &
  Pick<ManagementDeps, 'config' | 'access' | 'log'> & {
    writer: StateWriter
    circuits: Circuits
    kafka: Kafka
    /** Reads the log of changes. */
    reader: LogReader
  }

function openPurge(parts: PurgeParts) {
  const { config, pool, historyPool, writer, access, circuits, kafka, reader, log } = parts
  const readers = [readsChanges(kafka, reader), readsAttempts(kafka)]
  const isDeleted = async ({ projectId, environment }: Tenant) =>
    !(await access.environmentExists(projectId, environment))
  const { longestDelayMs, longestRetryMs } = config
  return purgeDeleted({
    service,
    pool,
    deleted: () => access.deletedEnvironments(),
    isDeleted,
    purge: (environment, mayGoOn) =>
      purgeEnvironment(
        {
          ...{ pool, historyPool, writer, circuits, longestRetryMs },
          mayGoOn,
          async hasReadAll() {
            const signal = AbortSignal.timeout(longestRequestMs)
            const answers = await Promise.all(readers.map((hasRead) => hasRead(signal)))
            return answers.every(Boolean)
          },
        },
        environment,
      ),
    relayed: () => writer.relayed(),
    // A job on the slowest topic of the schedule is cancelled when it is due, and filed in the
    // history.
    settleMs: longestDelayMs * 1.1 + longestRequestMs,
    log,
  })
}

/** Tells whether the history has all transitions that were published before the call. */
const readsAttempts = (kafka: Kafka) => (signal: AbortSignal) =>
  hasReadAll(kafka, { topic: attemptsTopic, groupId: historyGroup, withinMs: 5_000 }, signal)

/** Tells whether the matcher has passed all changes that were logged before the call. */
const readsChanges = (kafka: Kafka, reader: LogReader) => (signal: AbortSignal) =>
  hasReadAll(kafka, { topic: changesTopic, groupId: matcherGroup, withinMs: 5_000, reader }, signal)

function openLimits(
  { config, access, metrics, log }: Pick<ManagementDeps, 'config' | 'access' | 'metrics' | 'log'>,
  redis: BackgroundRedis,
) {
  const { limits: defaults } = config
  const own = { access, metrics, log, redis: () => redis.client }
  return (callers?: 'users') => createRequestLimits({ api: 'webhooks', defaults, callers, ...own })
}

function openManagement(deps: ManagementDeps) {
  const { config, messaging, relay, access, tables, users, log, metrics } = deps
  const { kafka, codec, producer } = messaging
  const { historyDays, defaultDelays, disableAfterMs, disableLookMs, maxBodyBytes } = config
  const { background, ...database } = openDatabase({ ...deps, producer, service })
  const open = new AsyncDisposableStack()
  const served = { ...database, config, access, tables, log, metrics }
  const parts = { ...served, background }
  const working = { ...served, ...background }
  const { slots, keyedWriter } = database
  const subscriptions = openSubscriptions(open, parts)
  open.use(openExpiryDeletion({ ...working, jobs: [endedKeys(keyTable), endedReplays] }))
  open.use(runHistoryDeletion({ ...working, kafka, historyDays }))
  const history = open.use(openHistory({ ...parts, kafka, codec, defaultDelays }))
  const changes = open.use(openChangeLog({ ...parts, kafka, codec }))
  const { bodies, search } = history
  const redelivery = open.use(openRedelivery({ ...parts, ...changes, codec, bodies, maxBodyBytes }))
  const inspection = createInspection({ ...parts, ...changes, search })
  const readAll = readsAttempts(kafka)
  const failing = { disableAfterMs, lookEveryMs: disableLookMs, hasReadAll: readAll }
  open.use(runDisableFailing({ ...working, ...failing }))
  const gone = open.use(runDisableGone(working))
  open.use(runCompleteVersions({ ...working, relay }))
  open.use(runAlerts(working))
  const ledgers = open.use(openLedgers({ ...parts, ...messaging }))
  const rebuilds = open.use(openRebuilds({ ...working, ...messaging }))
  const redis = open.use(openBackgroundRedis(config.redis, log))
  const circuits = createCircuits(redis)
  open.use(openPurge({ ...working, ...changes, kafka, circuits }))
  const streams = open.use(openStreams({ ...parts, ...messaging, redis: () => redis.client }))
  const endpoints = endpointsOfTenants({ ...parts, circuits, now: Date.now })
  const limits = openLimits(parts, redis)
  const authorize = managementCaller(access, limits())
  // Users cannot use up the requests of management tokens.
  const ofStreams = { management: authorize, users, limits: limits('users') }
  const serve = serveTenants(slots, authorize)
  const admit = adminGate(config.adminTokenDigests)
  const reEncrypt = createReEncryption(config.encryptionKeys)
  const reEncryptPage = createSecretReEncryption({ ...background, reEncrypt })
  const mounts = [
    // Mounted before the routes whose path parameter would also match these paths.
    ledgerRoutes({ admit, ledgers }),
    rebuildRoutes({ admit, rebuilds }),
    installationRoutes({ ...working, admit, kafka, redis, circuits, rebuilds }),
    reEncryptRoutes({ admit, reEncryptPage }),
    historyRoutes({ serve, history }),
    webhookRoutes({ serve, slots, subscriptions, newestDeliveries: history.deliveries.newest }),
    redeliveryRoutes({ serve, redelivery }),
    cancellationRoutes({ serve, cancel: cancelDeliveries({ ...parts, writer: keyedWriter }) }),
    inspectionRoutes({ serve, inspection }),
    endpointRoutes({ serve, endpoints }),
    streamRoutes({ authorize: streamCaller(ofStreams), streams }),
  ]
  return {
    streams,
    routes: (router: Router) => mounts.forEach((mountOn) => mountOn(router)),
    noteOutcomes: outcomeNotes(background.pool, gone.wake),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
