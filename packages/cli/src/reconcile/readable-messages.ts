import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'

/**
 * Returns the messages that decode. Consumers skip undecodable messages, so the comparison skips
 * them too. Throws an error that may be temporary, such as one of the registry.
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
