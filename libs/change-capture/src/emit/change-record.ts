import type { ChangeEvent } from '@surehook/contracts/events'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Captured } from './capture.ts'

type ChangeHeader = Omit<ChangeEvent, 'record' | 'source'>

/**
 * Builds the Kafka record of a captured change. The captured header holds topic, key and the event
 * without record and source. The captured body is the record.
 */
export function changeRecord(codec: Pick<EventCodec, 'change'>, source: string) {
  return ({ header, body }: Captured): OutgoingRecord => {
    const { topic, key, ...change } = header
    const event: ChangeEvent = { ...(change as ChangeHeader), record: body, source }
    return { topic, key, value: codec.change.encode(event) }
  }
}
