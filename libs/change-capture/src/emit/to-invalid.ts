import { invalidTopic, topicTable } from '@surehook/contracts/topics'
import { invalidRecord } from '@surehook/kafka/producer/invalid-messages'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'

/** A captured message that can never be relayed. */
export type InvalidCapture = {
  /** Topic and key as far as they are known. */
  topic: string | null
  key: string | null
  /** The captured message, or the record that was made of it and that Kafka does not take. */
  value: Buffer | null
  reason: string
}

const topics: ReadonlySet<string> = new Set(topicTable([]).map(({ name }) => name))
/** It never stood on a partition. */
const nowhere = { partition: -1, offset: '-1' }

/**
 * Makes the record for the `.invalid` topic of the topic that a captured message was meant for, or of
 * `topic`, the service's own, when that one has none.
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
