import type { SubscriptionState } from '@surehook/contracts/events'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { openRecordReader } from '@surehook/kafka/readers/record-reader'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from 'pino'
import { SecretsOpener, type TextOpener } from './secrets-opener.ts'
import { StateReader } from './state-reader.ts'
import { Subscriptions } from './subscriptions.ts'

export type SubscriptionsViewOptions = {
  kafka: Kafka
  clientId: string
  codec: Pick<EventCodec, 'subscription'>
  opener: TextOpener
  /** How many states stay in memory that no partition needs. */
  newestStates: number
  log: Logger
}

export type SubscriptionsView = AsyncDisposable & {
  subscriptions: Subscriptions
  view: TopicView
}

/** Opens the view of `webhook.subscriptions`, with the subscriptions that it has read so far. */
export async function openSubscriptionsView({
  kafka,
  clientId,
  codec,
  opener,
  newestStates,
  log,
}: SubscriptionsViewOptions): Promise<SubscriptionsView> {
  await using opening = new AsyncDisposableStack()
  const records = opening.use(openRecordReader({ kafka, topic: subscriptionsTopic, log }))
  const reader = opening.use(new StateReader({ reader: records, codec: codec.subscription, log }))
  const secrets = new SecretsOpener(opener, log)
  const subscriptions = new Subscriptions({ opener: secrets, reader, newestStates })
  const view = opening.use(
    await openTopicView<SubscriptionState>({
      kafka,
      codec: { ofTopic: () => codec.subscription },
      clientId,
      topics: [subscriptionsTopic],
      apply: (_topic, id, state, { offset }) => subscriptions.apply(id, state, offset),
      // The matchers publish the message to the invalid topic.
      onInvalid: async ({ message }) =>
        subscriptions.unreadable(String(message.key ?? ''), Number(message.offset)),
      log,
    }),
  )
  const resources = opening.move()
  return { subscriptions, view, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
