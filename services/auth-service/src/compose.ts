import { auditCalls } from '@surehook/access/audit/audited-call'
import { capturedRecord } from '@surehook/change-capture/emit/captured-record'
import { createStateWriter } from '@surehook/change-capture/emit/state-writer'
import { openPlatformService } from '@surehook/change-capture/open-platform-service'
import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { environmentsTopic } from '@surehook/contracts/topics'
import { check } from '@surehook/service-kit/check'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import type { Service } from '@surehook/service-kit/lifecycle'
import { openRedis } from '@surehook/service-kit/redis/client'
import { observeRedis } from '@surehook/service-kit/redis/observe-redis'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { openAlertReader } from './alerts/alert-reader.ts'
import { queueAlert } from './alerts/queue-alert.ts'
import { type Config, service } from './config.ts'
import { openAuthentication } from './open-authentication.ts'
import { openChangesEnd } from './platform/changes-end.ts'
import { openPurge } from './platform/purge-environment.ts'
import { checkEviction } from './revocation/check-eviction.ts'

export type AuthService = Service & { readonly ports: { api: number; internal: number } }

/** Opens the parts of the process. They close in reverse order. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  host: Host = ownProcess,
): Promise<AuthService> {
  await using opening = new AsyncDisposableStack()
  const opened = opening.use(
    await openPlatformService({
      ...{ service, config, log, signal, host },
      probe: 'select from environment limit 1',
      toRecord: (codec) => capturedRecord(codec, service),
      statesOf: 'webhook-api',
      topic: environmentsTopic,
    }),
  )
  const { tracer, metrics, internal, pool, background, relay, wait } = opened
  const { kafka, codec, producer } = opened.messaging
  const { slot, trustedProxies } = config
  const redis = opening.adopt(
    await wait('redis', () => openRedis({ ...config.redis, log, signal })),
    (client) => client.destroy(),
  )
  observeRedis(metrics, redis)
  await checkEviction(redis, log)
  await wait('relay', async () => check(relay.healthy, 'does not hold its slot yet'))
  const writer = createStateWriter({ pool, service, slot, producer, relay })
  const { clientId } = config.kafka
  opening.use(await openPurge({ pool: background, writer, kafka, codec, clientId, log }))
  const { read: changesEnd } = opening.use(openChangesEnd({ kafka, writer, log }))
  const pools = { pool, background }
  const infrastructure = { ...pools, redis, writer, changesEnd, producer, relay, metrics, log }
  const { routes } = opening.use(await openAuthentication(config, infrastructure))
  const box = createSecretBox(...config.encryptionKeys)
  const handle = async (alert: WebhookAlert) => {
    // The sender looks every second.
    const queued = await queueAlert({ pool: background, box }, alert)
    log.info({ alertId: alert.id, queued }, 'alert.read')
  }
  const alerts = opening.use(openAlertReader(opened.messaging, handle, log))
  const serving = { ...config.http, trustedProxies, log, metrics, tracer, around: auditCalls }
  const api = opening.use(await host.openApiServer({ ...serving, routes }))

  const resources = opening.move()
  return {
    ports: { api: api.port, internal: internal.port },
    async start() {
      internal.setChecks({
        postgres: async () => void (await pool.query('select 1')),
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        relay: () => check(relay.healthy, 'state is not relayed'),
        alerts: () => check(alerts.healthy, 'the reader does not follow the alerts'),
        // Without Redis: keys and administration work without it, and the other routes answer 503
        // themselves.
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
