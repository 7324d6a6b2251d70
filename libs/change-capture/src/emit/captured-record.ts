import { changesTopic } from '@surehook/contracts/topics'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { WalMessage } from './capture.ts'
import { changeRecord } from './change-record.ts'
import { stateRecord } from './state-writer.ts'

/**
 * Builds the Kafka record of a message that `source` captured: a change for `changes`, a state for
 * any other topic.
 */
export function capturedRecord(codec: Pick<EventCodec, 'change' | 'ofTopic'>, source: string) {
  const ofChange = changeRecord(codec, source)
  const ofState = stateRecord(codec)
  return (captured: WalMessage): OutgoingRecord =>
    captured.header.topic === changesTopic ? ofChange(captured) : ofState(captured)
}
