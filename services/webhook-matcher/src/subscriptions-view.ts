import type { SubscriptionState } from '@surehook/contracts/events'
import type { Kafka } from '@surehook/kafka/client/surface'
import { refuseInvalid } from '@surehook/kafka/producer/invalid-messages'
import type { EventProducer } from '@surehook/kafka/producer/producer'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { EventCodec, TypeCodec } from '@surehook/schemas/codec'
import type { Logger } from 'pino'
import type { Topics } from './config.ts'
import type { MatcherMetrics } from './metrics.ts'

export type SubscriptionsViewOptions = {
  kafka: Kafka
  codec: Pick<EventCodec, 'subscription' | 'invalid'>
  producer: EventProducer
  topics: Pick<Topics, 'subscriptions'>
  groupId: string
  metrics: MatcherMetrics
  log: Logger
}

/**
 * The index of all subscriptions, from their topic. An invalid state is refused and the last valid
 * one stays, because only a foreign writer can have written it.
 */
export async function openSubscriptionsView({
  kafka,
  codec,
  producer,
  topics,
  groupId,
  metrics,
  log,
}: SubscriptionsViewOptions): Promise<{ index: SubscriptionIndex; view: TopicView }> {
  const index = new SubscriptionIndex()
  const view = await openTopicView<SubscriptionState>({
    kafka,
    codec: { ofTopic: (): TypeCodec<SubscriptionState> => codec.subscription },
    topics: [topics.subscriptions],
    clientId: groupId,
    apply: (_topic, key, state, { walPosition }) => index.apply(key, state, walPosition),
    async onInvalid(invalid) {
      await refuseInvalid(producer, codec, { ...invalid, refusedBy: groupId })
      metrics.invalid.inc({ topic: 'webhook.subscriptions' })
    },
    log,
  })
  return { index, view }
}
