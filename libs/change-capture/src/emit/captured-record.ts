import { changesTopic } from '@surehook/contracts/topics'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Captured } from './capture.ts'
import { changeRecord } from './change-record.ts'
import { stateRecord } from './state-writer.ts'

/** What the relay sends for what `source` captured: a change on `changes`, a state on any other topic. */
export function capturedRecord(codec: Pick<EventCodec, 'change' | 'ofTopic'>, source: string) {
  const ofChange = changeRecord(codec, source)
  const ofState = stateRecord(codec)
  return (captured: Captured): OutgoingRecord =>
    captured.header.topic === changesTopic ? ofChange(captured) : ofState(captured)
}
