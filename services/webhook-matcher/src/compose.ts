import type { Kafka } from '@surehook/kafka/client/surface'
import { openMessaging } from '@surehook/kafka/messaging'
import { checkOffsetRetention } from '@surehook/kafka/topics/offset-retention'
import { WindowedConsumer } from '@surehook/kafka/windowed/windowed-consumer'
import { orAborted } from '@surehook/service-kit/bounded'
import { check } from '@surehook/service-kit/check'
import { observeCertificates } from '@surehook/service-kit/config/certificates'
import { type Host, ownProcess } from '@surehook/service-kit/host'
import type { Service } from '@surehook/service-kit/lifecycle'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { openTracing } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import type { Logger } from 'pino'
import { Batches } from './batches/batches.ts'
import { type Config, service } from './config.ts'
import { GrowthGate } from './growth/growth-gate.ts'
import { createMatcher } from './matching/matcher.ts'
import { matcherMetrics, registerIndex } from './metrics.ts'
import { openSubscriptionsView } from './subscriptions-view.ts'

/**
 * The limit per partition of changes that were read and not matched: a few of the largest batches.
 */
const changesWindow = { messages: 2_000, bytes: 4 * 1024 * 1024 }
/**
 * Long is safe: a change that is matched again makes the same deliveries, which dispatchers drop.
 */
const commitIntervalMs = 250
const commitAtOnce = 500
const drainMs = 8_000

export type Matcher = Service & { readonly internalPort: number }

/** Constructs all parts of the process. They close in reverse order. */
export async function compose(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  host: Host = ownProcess,
): Promise<Matcher> {
  await using opening = new AsyncDisposableStack()
  const tracer = opening.use(await openTracing(config.tracing, log))
  const registry = host.createMetrics(service)
  observeCertificates(registry, config.certificates)
  const metrics = matcherMetrics(registry)
  const internal = opening.use(
    await host.openInternalServer({ ...config.internal, metrics: registry, log }),
  )
  const messaging = opening.use(await openMessaging(config, { log, metrics: registry, signal }))
  const { kafka, codec, producer } = messaging
  await checkOffsetRetention(kafka, { groupId: config.groupId, log })
  const parts = { ...config, codec, producer, metrics, log }
  const { index, view } = await openSubscriptionsView({ ...parts, kafka })
  opening.use(view)
  registerIndex(registry, index)
  await orAborted(view.ready, signal)
  const handle = createMatcher({ ...parts, index, view, tracer })
  const gate = opening.use(new GrowthGate({ ...config, kafka, log }))
  const batches = new Batches({ handle, gate, log })
  const consumer = opening.use(followChanges(config, { kafka, batches, registry, log }))
  opening.defer(() => {
    consumer.stopReading()
    return batches.stop()
  })

  const resources = opening.move()
  return {
    internalPort: internal.port,
    async start(stopping) {
      internal.setChecks({
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        subscriptions: () => check(view.healthy, 'the view of subscriptions is not current'),
        changes: () => check(consumer.healthy, 'does not follow the changes'),
      })
      await orAborted(consumer.start(), stopping)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type ConsumerDeps = { kafka: Kafka; batches: Batches; registry: Metrics; log: Logger }

function followChanges(config: Config, { kafka, batches, registry, log }: ConsumerDeps) {
  return new WindowedConsumer({
    kafka,
    groupId: config.groupId,
    topics: [config.topics.changes],
    window: changesWindow,
    tenantTopics: [config.topics.changes],
    handler: batches,
    commitIntervalMs,
    commitAtOnce,
    drainMs,
    metrics: registry,
    log,
  })
}
