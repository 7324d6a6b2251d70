import type { ChangeEvent } from '@surehook/contracts/events'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Captured } from './capture.ts'

type ChangeHeader = Omit<ChangeEvent, 'record' | 'source'> & { source?: string }

/**
 * What the relay of `source` sends for a captured change: its header is the event without record,
 * beside topic and key, and its body the record. A change that is not of the service itself names its
 * own source in the header.
 */
export function changeRecord(codec: Pick<EventCodec, 'change'>, source: string) {
  return ({ header, body }: Captured): OutgoingRecord => {
    const { topic, key, ...change } = header
    const event: ChangeEvent = { source, ...(change as ChangeHeader), record: body }
    return { topic, key, value: codec.change.encode(event) }
  }
}
