import type { SubscriptionState } from '@surehook/contracts/events'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from 'pino'
import { type SecretOpener, Subscriptions } from './subscriptions.ts'

export type SubscriptionsViewOptions = {
  kafka: Kafka
  clientId: string
  codec: Pick<EventCodec, 'subscription'>
  opener: SecretOpener
  log: Logger
}

/** Opens the view of `webhook.subscriptions`, with the subscriptions that it has read so far. */
export async function openSubscriptionsView({
  kafka,
  clientId,
  codec,
  opener,
  log,
}: SubscriptionsViewOptions): Promise<{ subscriptions: Subscriptions; view: TopicView }> {
  const subscriptions = new Subscriptions(opener, log)
  const view = await openTopicView<SubscriptionState>({
    kafka,
    codec: { ofTopic: () => codec.subscription },
    clientId,
    topics: [subscriptionsTopic],
    apply: (_topic, id, state) => subscriptions.apply(id, state),
    // The matchers publish the message to the invalid topic.
    onInvalid: async ({ message }) => subscriptions.unreadable(String(message.key ?? '')),
    log,
  })
  return { subscriptions, view }
}
