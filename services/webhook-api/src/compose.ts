import { type EventCodec, openEventCodec } from '@surehook/contracts/codec'
import { topicTable } from '@surehook/contracts/topics'
import { openPlatformAccess } from '@surehook/service-kit/access/management-access'
import { openRelay } from '@surehook/service-kit/capture/relay'
import { createStateWriter, stateRecord } from '@surehook/service-kit/capture/state-writer'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { openApiServer } from '@surehook/service-kit/http/api-server'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { createKafka } from '@surehook/service-kit/kafka/client'
import { refuseInvalid } from '@surehook/service-kit/kafka/invalid-messages'
import { runOrderedConsumer } from '@surehook/service-kit/kafka/ordered-consumer'
import { type EventProducer, openProducer } from '@surehook/service-kit/kafka/producer'
import { ensureTopics } from '@surehook/service-kit/kafka/topics'
import { retryUntilReady, type Service } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/log'
import { createMetrics, type Metrics } from '@surehook/service-kit/metrics'
import { openPool } from '@surehook/service-kit/postgres/pool'
import type { Kafka } from 'kafkajs'
import type { Pool } from 'pg'
import { type Config, service } from './config.ts'
import { createDeliveryDays } from './deliveries/delivery-days.ts'
import { createDeliveryProjection, projectedTopics } from './deliveries/delivery-projection.ts'
import { createDeliveryStore } from './deliveries/delivery-store.ts'
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

  const kafka = createKafka({ ...config.kafka, log })
  const { partitions: mainPartitions, replicationFactor } = config.kafka
  const topics = { mainPartitions, replicationFactor, log, signal }
  await wait('kafka', () => ensureTopics(kafka, topicTable(config.delayNames), topics))
  const codec = await wait('schema registry', () =>
    openEventCodec({ registryUrl: config.registryUrl, log }),
  )
  const producer = opening.use(await wait('kafka', () => openProducer(kafka, { log, metrics })))
  const pool = opening.adopt(
    openPool({ connectionString: config.databaseUrl, applicationName: service, log }),
    (open) => open.end(),
  )
  await wait('postgres', () => pool.query('select from subscription, delivery limit 1'))
  const { databaseUrl, slot } = config
  const toRecord = stateRecord(codec)
  const relay = opening.use(
    openRelay({ service, slot, databaseUrl, producer, toRecord, log, metrics }),
  )
  await wait('relay', async () => check(relay.healthy, 'does not hold its slot yet'))
  const access = opening.use(
    await wait('kafka', () =>
      openPlatformAccess({ kafka, codec, clientId: config.kafka.clientId, log }),
    ),
  )
  await wait('platform state', () => access.ready)
  const deliveryLog = opening.use(projectDeliveries({ kafka, codec, producer, pool, log, metrics }))
  const subscriptions = manageSubscriptions({
    pool,
    writer: createStateWriter({ pool, service, slot, producer, relay }),
    box: createSecretBox(config.encryptionKey),
    environmentExists: (...names) => access.environmentExists(...names),
    maxSubscriptions: config.maxSubscriptions,
  })
  const routes = webhookRoutes({
    authorize: ({ req }) =>
      access.authorizeManagement({
        authorization: req.headers.authorization,
        projectId: req.headers['x-project-id'],
        environment: req.headers['environment'],
      }),
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

type ProjectionParts = {
  kafka: Kafka
  codec: EventCodec
  producer: EventProducer
  pool: Pool
  log: Logger
  metrics: Metrics
}

function projectDeliveries({ kafka, codec, producer, pool, log, metrics }: ProjectionParts) {
  const refused = metrics.counter({
    name: 'webhook_log_messages_refused_total',
    help: 'Messages that the delivery log could not take and put on an invalid topic',
    labelNames: ['topic'],
  })
  const handleBatch = createDeliveryProjection({
    store: createDeliveryStore(pool, createDeliveryDays(pool)),
    codec,
    now: Date.now,
    async refuse(message) {
      await refuseInvalid(producer, codec, { ...message, refusedBy: service })
      refused.inc({ topic: message.topic })
      const { topic, partition, reason } = message
      log.warn({ topic, partition, offset: message.message.offset, reason }, 'message.refused')
    },
  })
  return runOrderedConsumer({
    kafka,
    groupId: service,
    topics: projectedTopics,
    fromBeginning: true,
    handleBatch,
    concurrency: 4,
    metrics,
    log,
  })
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
