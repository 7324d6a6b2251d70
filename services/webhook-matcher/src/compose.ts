import { openEventCodec } from '@surehook/contracts/codec'
import { orAborted } from '@surehook/service-kit/bounded'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { createKafka } from '@surehook/service-kit/kafka/client'
import { checkOffsetRetention } from '@surehook/service-kit/kafka/offset-retention'
import { runOrderedConsumer } from '@surehook/service-kit/kafka/ordered-consumer'
import { openProducer } from '@surehook/service-kit/kafka/producer'
import { ensureTopics } from '@surehook/service-kit/kafka/topics'
import { retryUntilReady, type Service } from '@surehook/service-kit/lifecycle'
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
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })

  const { partitions: mainPartitions, replicationFactor } = config.kafka
  const kafka = createKafka({ ...config.kafka, log })
  await wait('kafka', () =>
    ensureTopics(kafka, config.topicTable, { mainPartitions, replicationFactor, log, signal }),
  )
  await checkOffsetRetention(kafka, { groupId: config.groupId, log })
  const codec = await wait('schema registry', () =>
    openEventCodec({ registryUrl: config.registryUrl, log }),
  )
  const producer = opening.use(
    await wait('kafka', () => openProducer(kafka, { log, metrics: registry })),
  )
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
      concurrency: mainPartitions,
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

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
