import { type TypeCodec, UndecodableError } from '@surehook/contracts/codec'
import type { ChangeEvent } from '@surehook/contracts/events'
import { isTraceparent } from '@surehook/contracts/traceparent'
import { walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from 'kafkajs'
import { changeFault } from './change-fault.ts'

/** A change as it is matched: the event, and its record parsed once for filters. */
export type Change = {
  readonly event: ChangeEvent
  readonly record: Readonly<Record<string, unknown>>
  /** Where it was committed; `null` for a change that another service published. */
  readonly walPosition: string | null
}

export type ReadChange = { change: Change } | { message: KafkaMessage; reason: string }

/** The change in a message, or why there is none. Rejects only with what another try may cure. */
export async function readChange(
  codec: TypeCodec<ChangeEvent>,
  message: KafkaMessage,
): Promise<ReadChange> {
  if (message.value === null) return { message, reason: 'No value' }
  try {
    const decoded = codec.decode(message.value)
    const event = decoded instanceof Promise ? await decoded : decoded
    const reason = changeFault(event)
    if (reason !== null) return { message, reason }
    const record = parseRecord(event.record)
    return record === null
      ? { message, reason: 'record: not the text of a JSON object' }
      : {
          change: { event: traceable(event), record, walPosition: walPositionOf(message.headers) },
        }
  } catch (err) {
    if (err instanceof UndecodableError) return { message, reason: err.message }
    throw err
  }
}

/** A delivery with a malformed traceparent could never be sent: it goes without. */
function traceable(event: ChangeEvent): ChangeEvent {
  const { traceparent } = event
  return traceparent === null || isTraceparent(traceparent)
    ? event
    : { ...event, traceparent: null }
}

/**
 * Also when no filter needs it: the text goes into bodies as it is, and no receiver may get one
 * that is not JSON.
 */
function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
