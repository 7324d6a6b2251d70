import { auditCalls } from '@surehook/access/audit/audited-call'
import {
  createRequestLimits,
  type RequestLimitsOptions,
} from '@surehook/access/limits/request-limits'
import { connectionRoom, createTenantSlots } from '@surehook/access/limits/tenant-slots'
import { openPlatformAccess, type PlatformAccess } from '@surehook/access/management-access'
import { platformTopics } from '@surehook/access/platform-state'
import { type PurgeOptions, purgeDeleted } from '@surehook/access/purge-deleted'
import { createUserAccess, userKeyOf } from '@surehook/access/users/user-access'
import { openUserTokens } from '@surehook/access/users/user-tokens'
import { createUserValues, type UserValuesOf } from '@surehook/access/users/user-values'
import { capturedRecord } from '@surehook/change-capture/emit/captured-record'
import { openPlatformService } from '@surehook/change-capture/open-platform-service'
import type { Relay } from '@surehook/change-capture/relay/relay'
import { anyPosition, waitUntilRelayed } from '@surehook/change-capture/slot/wait-relayed'
import { changesTopic, revocationsTopic } from '@surehook/contracts/topics'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { check } from '@surehook/service-kit/check'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import { endedKeys } from '@surehook/service-kit/idempotency/once-per-key'
import type { Service } from '@surehook/service-kit/lifecycle'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import { openBackgroundRedis } from '@surehook/service-kit/redis/background-redis'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { type Charge, createAuthorizers } from './authorization/authorize.ts'
import { type Config, service } from './config.ts'
import { dataRoutes } from './data-routes.ts'
import { observePool } from './pool-metrics.ts'
import { createPublishing } from './publishing/publish-changes.ts'
import { endedIds } from './publishing/published-ids.ts'
import { purgeEnvironment } from './purge-environment.ts'
import { createRecordApis } from './records/record-apis.ts'
import { publishStates } from './tables/publish-states.ts'
import { idempotencyTable } from './tables/record-statements.ts'
import { openSourceColumns, type SourceColumnsOptions } from './tables/source-columns.ts'

type PurgeDeps = Pick<PurgeOptions, 'pool' | 'relayed' | 'log'> & { access: PlatformAccess }

const openPurge = ({ pool, access, relayed, log }: PurgeDeps) =>
  purgeDeleted({
    service,
    pool,
    deleted: () => access.deletedEnvironments(),
    isDeleted: async ({ projectId, environment }) =>
      !(await access.environmentExists(projectId, environment)),
    purge: (environment, mayGoOn) => purgeEnvironment(pool, environment, mayGoOn),
    relayed,
    settleMs: longestRequestMs,
    log,
  })

type LimitDeps = { config: Config } & Pick<
  RequestLimitsOptions,
  'access' | 'metrics' | 'log' | 'redis'
>

function chargeOf({ config, ...deps }: LimitDeps): Charge {
  const limits = createRequestLimits({ api: 'data', defaults: config.limits, ...deps })
  return (context, { tenant, id, issued }, points) => {
    const user = userKeyOf({ id, issued })
    // A management token that reads as a user spends its own points.
    return limits.charge(context, { ...tenant, id: context.actorId ?? user }, points)
  }
}

function limitedTokens(metrics: Metrics) {
  const counter = metrics.counter({
    name: 'surehook_data_tokens_limited_total',
    help: 'Access tokens refused with 429 after too many bad ones from the client',
  })
  return () => counter.inc()
}

/** The parts that read and write the data of tenants. They share the slots of each project. */
function dataOf(pool: Pool, users: UserValuesOf) {
  const slots = createTenantSlots(connectionRoom(pool, { each: 1 / 2 }))
  return {
    slots,
    records: createRecordApis({ pool, slots, users }),
    publish: createPublishing({ pool, slots, maxWaitMs: connectTimeoutMs(pool) }),
  }
}

const tablesEveryMs = 2_000

type JobDeps = Pick<PurgeDeps, 'pool'> & { relay: Relay } & SourceColumnsOptions

async function openJobs({ pool, relay, ...viewing }: JobDeps) {
  const { log } = viewing
  const open = new AsyncDisposableStack()
  const sourceColumns = open.use(await openSourceColumns(viewing))
  const deletions = [endedKeys(idempotencyTable), endedIds]
  open.use(openExpiryDeletion({ pool, jobs: deletions, log }))
  const tables = [
    { name: 'states of tables', run: () => publishStates(pool, relay) },
    { name: 'columns of sources', run: () => sourceColumns.write(pool) },
  ]
  open.use(openExpiryDeletion({ pool, jobs: tables, everyMs: tablesEveryMs, log }))
  return open
}

/** Requests that were admitted before their environment was deleted have ended after this time. */
const longestRequestMs = 10_000

export type DataApi = Service & { readonly ports: { api: number; internal: number } }

/** Opens the parts of the process. They close in reverse order. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  host: Host = ownProcess,
): Promise<DataApi> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(
    await openPlatformService({
      ...{ service, config, log, signal, host },
      connections: { requests: config.poolSize },
      probe: 'select from table_definition limit 1',
      toRecord: (codec) => capturedRecord(codec, service),
      statesOf: 'webhook-api',
      topic: changesTopic,
    }),
  )
  const { tracer, metrics, internal, pool, background, relay, wait } = opened
  const { kafka, codec, producer } = opened.messaging
  observePool(metrics, pool)
  // A user's request waits for both views; one request to the brokers returns the ends of both.
  const ends = opening.use(new LogEnds(kafka, [...platformTopics, revocationsTopic], log))
  const viewing = { kafka, codec, clientId: config.kafka.clientId, ends, log }
  opening.use(await wait('kafka', () => openJobs({ pool: background, relay, ...viewing })))
  const access = opening.use(await wait('kafka', () => openPlatformAccess(viewing)))
  await wait('platform state', () => access.ready)
  const { maxFailedTokensPerMinute, trustedProxies } = config
  const onLimited = limitedTokens(metrics)
  const users = opening.use(
    await openUserTokens({ ...config.auth, ...viewing, maxFailedTokensPerMinute, onLimited }),
  )
  await wait('revocations', () => users.ready)
  const redis = opening.use(openBackgroundRedis(config.redis, log))
  const charge = chargeOf({ config, access, metrics, log, redis: () => redis.client })
  const values = createUserValues(config.auth)
  const verifying = createUserAccess({ access, users })
  const authorizers = createAuthorizers({ access, users: verifying, values, charge })
  const relayed = () =>
    waitUntilRelayed(background, config.slot, anyPosition, { timeoutMs: 10_000 })
  opening.use(openPurge({ pool: background, access, relayed, log }))
  const data = dataOf(pool, values)
  const routes = dataRoutes({ ...data, relayed, pool, access, authorizers, charge })
  const serving = { ...config.http, trustedProxies, log, metrics, tracer, around: auditCalls }
  const api = opening.use(await host.openApiServer({ ...serving, routes }))

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        relay: () => check(relay.healthy, 'changes are not relayed'),
        platform: () => check(access.healthy, 'the view of environments and tokens is not current'),
        revocations: () => check(users.healthy, 'the view of revocations is not current'),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
