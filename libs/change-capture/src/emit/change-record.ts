import type { ChangeEvent } from '@surehook/contracts/events'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { WalMessage } from './capture.ts'

type ChangeHeader = Omit<ChangeEvent, 'record' | 'source'> & { source?: string }

/**
 * Builds the Kafka record of a captured change. The captured header holds topic, key and the event
 * without record. The captured body is the record. The header names a source if that is not
 * `source`, the service of the relay.
 */
export function changeRecord(codec: Pick<EventCodec, 'change'>, source: string) {
  return ({ header, body }: WalMessage): OutgoingRecord => {
    const { topic, key, ...change } = header
    const event: ChangeEvent = { source, ...(change as ChangeHeader), record: body }
    return { topic, key, value: codec.change.encode(event) }
  }
}
