import { invalidTopic, topicTable } from '@surehook/contracts/topics'
import { invalidRecord } from '@surehook/kafka/producer/invalid-messages'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'

/** A captured message that can never be relayed. */
export type InvalidCapture = {
  /** Topic and key if they are known. */
  topic: string | null
  key: string | null
  /** The captured message, or the record made from it that Kafka refuses. */
  value: Buffer | null
  reason: string
}

const topics: ReadonlySet<string> = new Set(topicTable([]).map(({ name }) => name))
/** The message never had a place on a partition. */
const nowhere = { partition: -1, offset: '-1' }

/**
 * Returns a function that builds the record for an `.invalid` topic: the one of the message's own
 * topic if it exists, otherwise the one of `topic`.
 */
export function toInvalidTopic(
  codec: Pick<EventCodec, 'invalid'>,
  { service, topic: own }: { service: string; topic: string },
): (invalid: InvalidCapture) => OutgoingRecord {
  return ({ topic: meant, key, value, reason }) =>
    invalidRecord(codec, {
      topic: meant !== null && topics.has(invalidTopic(meant)) ? meant : own,
      partition: nowhere.partition,
      message: { key: key === null ? null : Buffer.from(key), value, offset: nowhere.offset },
      reason,
      refusedBy: `${service}.relay`,
    })
}
