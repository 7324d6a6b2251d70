import { changesTopic } from '@surehook/contracts/topics'
import { openPlatformAccess } from '@surehook/service-kit/access/management-access'
import { changeRecord } from '@surehook/service-kit/capture/change-record'
import { openRelay } from '@surehook/service-kit/capture/relay'
import { toInvalidTopic } from '@surehook/service-kit/capture/to-invalid'
import { check } from '@surehook/service-kit/check'
import { openApiServer } from '@surehook/service-kit/http/api-server'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { openMessaging } from '@surehook/service-kit/kafka/messaging'
import { retryUntilReady, type Service } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/log'
import { createMetrics } from '@surehook/service-kit/metrics'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { createAuthorizers } from './callers/authorize.ts'
import { openUserTokens } from './callers/user-tokens.ts'
import { type Config, service } from './config.ts'
import { dataRoutes } from './data-routes.ts'
import { observePool } from './pool-metrics.ts'
import { createTableCache } from './tables/table-cache.ts'

export type DataApi = Service & { readonly ports: { api: number; internal: number } }

/** The only file that constructs things. What opens last closes first. */
export async function compose(config: Config, log: Logger, signal: AbortSignal): Promise<DataApi> {
  await using opening = new AsyncDisposableStack()
  const metrics = createMetrics(service)
  const internal = opening.use(await openInternalServer({ ...config.internal, metrics, log }))
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })

  const { databaseUrl, slot, poolSize: max } = config
  const messaging = opening.use(await openMessaging(config, { log, metrics, signal }))
  const { kafka, codec, producer } = messaging
  const pool = opening.adopt(
    openPool({ connectionString: databaseUrl, applicationName: service, max, log }),
    (open) => open.end(),
  )
  observePool(metrics, pool)
  await wait('postgres', () => pool.query('select from table_definition limit 1'))
  const toRecord = changeRecord(codec, service)
  const toInvalid = toInvalidTopic(codec, { service, topic: changesTopic })
  const relay = opening.use(
    openRelay({ service, slot, databaseUrl, producer, toRecord, toInvalid, log, metrics }),
  )
  const access = opening.use(
    await wait('kafka', () =>
      openPlatformAccess({ kafka, codec, clientId: config.kafka.clientId, log }),
    ),
  )
  await wait('platform state', () => access.ready)
  const { clientId } = config.kafka
  const users = opening.use(await openUserTokens({ ...config.auth, kafka, codec, clientId, log }))
  await wait('revocations', () => users.ready)
  const authorizers = createAuthorizers({ access, users })
  const routes = dataRoutes({ pool, tables: createTableCache(pool), access, authorizers })
  const api = opening.use(await openApiServer({ ...config.http, log, metrics, routes }))

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
