import { invalidTopic } from '@surehook/contracts/topics'
import type { EventCodec } from '@surehook/schemas/codec'
import type { KafkaMessage } from '../client/surface.ts'
import type { EventProducer, OutgoingRecord } from './producer.ts'

export type RefusedMessage = {
  message: Pick<KafkaMessage, 'key' | 'value' | 'offset'>
  topic: string
  partition: number
  reason: string
  /** The consumer group that refuses the message. */
  refusedBy: string
}

const maxValueBytes = 2_000_000

/**
 * Sends a message that can never be handled to its topic's `.invalid` topic, unchanged and with the
 * reason. Resolves when Kafka has acknowledged it, so that the partition may continue.
 */
export async function refuseInvalid(
  producer: Pick<EventProducer, 'send'>,
  codec: Pick<EventCodec, 'invalid'>,
  refused: RefusedMessage,
): Promise<void> {
  await producer.send([invalidRecord(codec, refused)])
}

/** Builds the record that `refuseInvalid` sends. */
export function invalidRecord(
  codec: Pick<EventCodec, 'invalid'>,
  { message, topic, partition, reason, refusedBy }: RefusedMessage,
): OutgoingRecord {
  const { key, value, offset } = message
  // With the added fields, which include the key again, it would exceed the topic's limit. It can
  // still be read at its original offset.
  const [keyBytes, valueBytes] = [key, value].map((bytes) => bytes?.length ?? 0) as [number, number]
  const tooLarge = valueBytes + 2 * keyBytes > maxValueBytes
  const leftOut = ` (a key of ${keyBytes} and a value of ${valueBytes} bytes, left out)`
  const encoded = codec.invalid.encode({
    topic,
    partition,
    offset,
    key: tooLarge ? null : key,
    value: tooLarge ? null : value,
    reason: `${reason}${tooLarge ? leftOut : ''}`.slice(0, 4_000),
    refusedBy,
    at: Date.now(),
  })
  return { topic: invalidTopic(topic), key: tooLarge ? null : key, value: encoded }
}
