import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'

/**
 * Those that are what the topic holds. Consumers put others aside and go on, and so does whoever compares; an error that may
 * pass, of the registry, is thrown.
 */
export async function readableOf(
  codec: Pick<EventCodec, 'ofTopic'>,
  topic: string,
  messages: readonly KafkaMessage[],
): Promise<KafkaMessage[]> {
  const values = codec.ofTopic(topic)
  const readable: KafkaMessage[] = []
  for (const message of messages) {
    try {
      if (message.value !== null) await values.decode(message.value)
      readable.push(message)
    } catch (err) {
      if (!(err instanceof UndecodableError)) throw err
    }
  }
  return readable
}
