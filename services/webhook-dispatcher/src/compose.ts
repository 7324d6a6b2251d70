import { dispatcherGroup } from '@surehook/contracts/groups'
import { openMessaging } from '@surehook/kafka/messaging'
import { checkOffsetRetention } from '@surehook/kafka/topics/offset-retention'
import { check } from '@surehook/service-kit/check'
import { observeCertificates } from '@surehook/service-kit/config/certificates'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import type { Service } from '@surehook/service-kit/lifecycle'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { openRedis } from '@surehook/service-kit/redis/client'
import { observeRedis } from '@surehook/service-kit/redis/observe-redis'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { openTracing } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import { systemHostNames } from './attempt/dns/host-names.ts'
import { Poster } from './attempt/http/post.ts'
import { type Config, service } from './config.ts'
import { openDeliveryEngine } from './consume/delivery-engine.ts'
import { CircuitStore } from './endpoint/circuit-store.ts'
import { dispatcherMetrics, registerGauges } from './metrics.ts'

/** Outcomes are gathered for 25 ms: the receiver already has the delivery. */
const outcomesGatherMs = 25

/** Opens the parts of the process. They close in reverse order. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  host: Host = ownProcess,
): Promise<Service> {
  await using opening = new AsyncDisposableStack()
  const tracer = opening.use(await openTracing(config.tracing, log))
  const registry = host.createMetrics(service)
  observeCertificates(registry, config.certificates)
  const internal = opening.use(
    await host.openInternalServer({ ...config.internal, metrics: registry, log }),
  )
  const redis = opening.adopt(
    await retryUntilReady('redis', () => openRedis({ ...config.redis, log, signal }), {
      log,
      signal,
    }),
    (client) => client.destroy(),
  )
  observeRedis(registry, redis)
  const messaging = opening.use(
    await openMessaging(config, { log, metrics: registry, signal, gatherMs: outcomesGatherMs }),
  )
  await checkOffsetRetention(messaging.kafka, { groupId: dispatcherGroup, log })
  const guard = new AddressGuard(config.attempt.allowedNetworks, systemHostNames(config.attempt))
  const poster = opening.use(new Poster({ ...config.attempt, guard }))
  const engine = opening.use(
    await openDeliveryEngine(config, {
      ...messaging,
      poster,
      opener: createSecretBox(...config.encryptionKeys),
      circuits: new CircuitStore(redis, { ...config.circuit, log }),
      metrics: dispatcherMetrics(registry),
      registry,
      tracer,
      log,
      signal,
    }),
  )

  const resources = opening.move()
  return {
    async start(stopping) {
      await engine.start(stopping)
      registerGauges(registry, engine.gauges)
      internal.setChecks({
        kafka: () =>
          check(engine.consuming && messaging.producer.healthy, 'not connected to Kafka'),
        subscriptions: () => check(engine.current, 'the view of subscriptions is not current'),
        redis: async () => void (await redis.ping()),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
