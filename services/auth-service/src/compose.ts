import { environmentsTopic } from '@surehook/contracts/topics'
import { openRelay } from '@surehook/service-kit/capture/relay'
import { createStateWriter, stateRecord } from '@surehook/service-kit/capture/state-writer'
import { toInvalidTopic } from '@surehook/service-kit/capture/to-invalid'
import { check } from '@surehook/service-kit/check'
import { openApiServer } from '@surehook/service-kit/http/api-server'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { openMessaging } from '@surehook/service-kit/kafka/messaging'
import { retryUntilReady, type Service } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/log'
import { createMetrics } from '@surehook/service-kit/metrics'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { type Config, service } from './config.ts'
import { adminRoutes } from './platform/admin-routes.ts'

export type AuthService = Service & { readonly ports: { api: number; internal: number } }

/** The only file that constructs things. What opens last closes first. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<AuthService> {
  await using opening = new AsyncDisposableStack()
  const metrics = createMetrics(service)
  const internal = opening.use(await openInternalServer({ ...config.internal, metrics, log }))
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })

  const { codec, producer } = opening.use(await openMessaging(config, { log, metrics, signal }))
  const pool = opening.adopt(
    openPool({ connectionString: config.databaseUrl, applicationName: service, log }),
    (open) => open.end(),
  )
  await wait('postgres', () => pool.query('select from environment limit 1'))
  const { databaseUrl, slot } = config
  const toRecord = stateRecord(codec)
  const toInvalid = toInvalidTopic(codec, { service, topic: environmentsTopic })
  const relay = opening.use(
    openRelay({ service, slot, databaseUrl, producer, toRecord, toInvalid, log, metrics }),
  )
  await wait('relay', async () => check(relay.healthy, 'does not hold its slot yet'))
  const writer = createStateWriter({ pool, service, slot, producer, relay })
  const api = opening.use(
    await openApiServer({
      ...config.http,
      log,
      metrics,
      routes: adminRoutes({ pool, writer, adminToken: config.adminToken }),
    }),
  )

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        relay: () => check(relay.healthy, 'state is not relayed'),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
