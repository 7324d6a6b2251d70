import { orAborted } from '@surehook/service-kit/bounded'
import { check } from '@surehook/service-kit/check'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { openMessaging } from '@surehook/service-kit/kafka/messaging'
import { checkOffsetRetention } from '@surehook/service-kit/kafka/offset-retention'
import { runOrderedConsumer } from '@surehook/service-kit/kafka/ordered-consumer'
import type { Service } from '@surehook/service-kit/lifecycle'
import { createMetrics } from '@surehook/service-kit/metrics'
import type { Logger } from 'pino'
import { type Config, service } from './config.ts'
import { createMatcher } from './matcher.ts'
import { matcherMetrics } from './metrics.ts'
import { openSubscriptionsView } from './subscriptions/subscriptions-view.ts'

export type Matcher = Service & { readonly internalPort: number }

/** The only file that constructs things. What opens last closes first. */
export async function compose(config: Config, log: Logger, signal: AbortSignal): Promise<Matcher> {
  await using opening = new AsyncDisposableStack()
  const registry = createMetrics(service)
  const metrics = matcherMetrics(registry)
  const internal = opening.use(
    await openInternalServer({ ...config.internal, metrics: registry, log }),
  )
  const messaging = opening.use(await openMessaging(config, { log, metrics: registry, signal }))
  const { kafka, codec, producer } = messaging
  await checkOffsetRetention(kafka, { groupId: config.groupId, log })
  const parts = { ...config, codec, producer, metrics, log }
  const { index, view } = await openSubscriptionsView({ ...parts, kafka })
  opening.use(view)
  await orAborted(view.ready, signal)
  const consumer = opening.use(
    runOrderedConsumer({
      kafka,
      groupId: config.groupId,
      topics: [config.topics.changes],
      // A group that is new has missed nothing yet: it must not skip what came before it joined.
      fromBeginning: true,
      handleBatch: createMatcher({ ...parts, index, view, now: Date.now }),
      concurrency: config.kafka.partitions,
      metrics: registry,
      log,
    }),
  )

  const resources = opening.move()
  return {
    internalPort: internal.port,
    async start(stopping) {
      internal.setChecks({
        kafka: () => check(producer.healthy, 'not connected to Kafka'),
        subscriptions: () => check(view.healthy, 'the view of subscriptions is not current'),
        changes: () => check(consumer.healthy, 'does not follow the changes'),
      })
      await orAborted(consumer.ready, stopping)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
