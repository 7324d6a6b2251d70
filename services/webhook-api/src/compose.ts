import { subscriptionsTopic } from '@surehook/contracts/topics'
import { openPlatformAccess } from '@surehook/service-kit/access/management-access'
import { openRelay } from '@surehook/service-kit/capture/relay'
import { createStateWriter, stateRecord } from '@surehook/service-kit/capture/state-writer'
import { toInvalidTopic } from '@surehook/service-kit/capture/to-invalid'
import { check } from '@surehook/service-kit/check'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { openApiServer } from '@surehook/service-kit/http/api-server'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { openMessaging } from '@surehook/service-kit/kafka/messaging'
import { retryUntilReady, type Service } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/log'
import { createMetrics } from '@surehook/service-kit/metrics'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { type Config, service } from './config.ts'
import { openDeliveryLog } from './deliveries/delivery-log.ts'
import { newestDeliveries } from './deliveries/newest-deliveries.ts'
import { manageSubscriptions } from './subscriptions/manage-subscriptions.ts'
import { webhookRoutes } from './subscriptions/webhook-routes.ts'

export type WebhookApi = Service & { readonly ports: { api: number; internal: number } }

/** The only file that constructs things. What opens last closes first. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<WebhookApi> {
  await using opening = new AsyncDisposableStack()
  const metrics = createMetrics(service)
  const internal = opening.use(await openInternalServer({ ...config.internal, metrics, log }))
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })

  const messaging = opening.use(await openMessaging(config, { log, metrics, signal }))
  const { kafka, codec, producer } = messaging
  const pool = opening.adopt(
    openPool({ connectionString: config.databaseUrl, applicationName: service, log }),
    (open) => open.end(),
  )
  await wait('postgres', () => pool.query('select from subscription, delivery limit 1'))
  const { databaseUrl, slot } = config
  const toRecord = stateRecord(codec)
  const toInvalid = toInvalidTopic(codec, { service, topic: subscriptionsTopic })
  const relay = opening.use(
    openRelay({ service, slot, databaseUrl, producer, toRecord, toInvalid, log, metrics }),
  )
  await wait('relay', async () => check(relay.healthy, 'does not hold its slot yet'))
  const access = opening.use(
    await wait('kafka', () =>
      openPlatformAccess({ kafka, codec, clientId: config.kafka.clientId, log }),
    ),
  )
  await wait('platform state', () => access.ready)
  const deliveryLog = opening.use(openDeliveryLog(messaging, { pool, log, metrics }))
  const subscriptions = manageSubscriptions({
    pool,
    writer: createStateWriter({ pool, service, slot, producer, relay }),
    box: createSecretBox(config.encryptionKey),
    environmentExists: (...names) => access.environmentExists(...names),
    maxSubscriptions: config.maxSubscriptions,
  })
  const routes = webhookRoutes({
    access,
    subscriptions,
    newestDeliveries: (...query) => newestDeliveries(pool, ...query),
  })
  const api = opening.use(await openApiServer({ ...config.http, log, metrics, routes }))

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        relay: () => check(relay.healthy, 'state is not relayed'),
        platform: () => check(access.healthy, 'the view of environments and tokens is not current'),
        deliveries: () => check(deliveryLog.healthy, 'the delivery log does not follow its topics'),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
