import { capturedRecord } from '@surehook/change-capture/emit/captured-record'
import { createStateWriter } from '@surehook/change-capture/emit/state-writer'
import { toInvalidTopic } from '@surehook/change-capture/emit/to-invalid'
import { openRelay } from '@surehook/change-capture/relay/relay'
import { environmentsTopic } from '@surehook/contracts/topics'
import { openMessaging } from '@surehook/kafka/client/messaging'
import { check } from '@surehook/service-kit/check'
import { observeCertificates } from '@surehook/service-kit/config/certificates'
import { openApiServer } from '@surehook/service-kit/http/api-server'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { retryUntilReady, type Service } from '@surehook/service-kit/lifecycle'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { openRedis } from '@surehook/service-kit/redis/client'
import { observeRedis } from '@surehook/service-kit/redis/observe-redis'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { openTracing } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import { type Config, service } from './config.ts'
import { openAuthentication } from './open-authentication.ts'
import { openPurge } from './platform/purge-environment.ts'
import { checkEviction } from './revocation/check-eviction.ts'

export type AuthService = Service & { readonly ports: { api: number; internal: number } }

/** Opens what the process needs. What opens last closes first. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<AuthService> {
  await using opening = new AsyncDisposableStack()
  const tracer = opening.use(await openTracing(config.tracing, log))
  const metrics = createMetrics(service)
  observeCertificates(metrics, config.certificates)
  const internal = opening.use(await openInternalServer({ ...config.internal, metrics, log }))
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })

  const { kafka, codec, producer } = opening.use(
    await openMessaging(config, { log, metrics, signal }),
  )
  const { databaseUrl, slot, trustedProxies } = config
  const pool = opening.adopt(
    openPool({ connectionString: databaseUrl, applicationName: service, log }),
    (open) => open.end(),
  )
  await wait('postgres', () => pool.query('select from environment limit 1'))
  const redis = opening.adopt(
    await wait('redis', () => openRedis({ ...config.redis, log, signal })),
    (client) => client.destroy(),
  )
  observeRedis(metrics, redis)
  await checkEviction(redis, log)
  const toRecord = capturedRecord(codec, service)
  const toInvalid = toInvalidTopic(codec, { service, topic: environmentsTopic })
  const relay = opening.use(
    openRelay({ service, slot, databaseUrl, producer, toRecord, toInvalid, log, metrics, tracer }),
  )
  await wait('relay', async () => check(relay.healthy, 'does not hold its slot yet'))
  const writer = createStateWriter({ pool, service, slot, producer, relay })
  const { clientId } = config.kafka
  opening.use(await openPurge({ pool, writer, kafka, codec, clientId, log }))
  const infrastructure = { pool, redis, writer, producer, relay, metrics, log }
  const { routes } = opening.use(await openAuthentication(config, infrastructure))
  const api = opening.use(
    await openApiServer({ ...config.http, trustedProxies, log, metrics, tracer, routes }),
  )

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        relay: () => check(relay.healthy, 'state is not relayed'),
        // Not Redis: keys and administration go on without it, the rest says 503 itself.
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
