import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { alertsTopic } from '@surehook/contracts/topics'
import { ReadAheadConsumer } from '@surehook/kafka/consumer/read-ahead-consumer'
import type { Messaging } from '@surehook/kafka/messaging'
import { refuseInvalid } from '@surehook/kafka/producer/invalid-messages'
import { UndecodableError } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'

const groupId = 'auth-service.alerts'

/** Reads the alerts. Replicas share the work. An alert may come twice. */
export function openAlertReader(
  { kafka, codec, producer }: Pick<Messaging, 'kafka' | 'codec' | 'producer'>,
  handle: (alert: WebhookAlert) => Promise<void>,
  log: Logger,
): ReadAheadConsumer {
  const consumer: ReadAheadConsumer = new ReadAheadConsumer({
    ...{ kafka, groupId, topics: [alertsTopic], log },
    gather: { bytes: 1, forMs: 1_000 },
    onJoin: () => undefined, // nothing stays open between batches
    async take({ messages, next, ...place }) {
      for (const message of messages) {
        try {
          if (message.value === null) throw new UndecodableError('An alert has no tombstone')
          await handle(await codec.alert.decode(message.value))
        } catch (err) {
          if (!(err instanceof UndecodableError)) throw err
          const refused = { message, ...place, reason: err.message, refusedBy: groupId }
          await refuseInvalid(producer, codec, refused)
        }
      }
      await consumer.commit([{ ...place, offset: next }])
    },
  })
  return consumer
}
