import type { ChangeEvent } from '@surehook/contracts/events'
import { isTraceparent, traceparentOf } from '@surehook/contracts/traceparent'
import { walPositionOf } from '@surehook/contracts/wal-position'
import { type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import { changeFault } from './change-fault.ts'

/** A change as it is matched: the event, and its record parsed once for filters. */
export type Change = {
  readonly event: ChangeEvent
  readonly record: Readonly<Record<string, unknown>>
  /** Where it was committed; `null` for a change that another service published. */
  readonly walPosition: string | null
  /** When the broker took it: the same for everybody who reads it, whatever their clocks say. */
  readonly loggedAt: number
}

/** What there is of a message on `changes`. */
export type ChangeMessage = {
  key: Buffer | null
  value: Buffer | null
  offset: string
  timestamp: string
  headers?: MessageHeaders
}

type MessageHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>

export type ReadChange = { change: Change } | { message: ChangeMessage; reason: string }

/** The change in a message, or why there is none. Rejects only with what another try may cure. */
export async function readChange(
  codec: TypeCodec<ChangeEvent>,
  message: ChangeMessage,
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
          change: {
            event: traceable(event, message.headers),
            record,
            walPosition: walPositionOf(message.headers),
            loggedAt: Number(message.timestamp),
          },
        }
  } catch (err) {
    if (err instanceof UndecodableError) return { message, reason: err.message }
    throw err
  }
}

/**
 * The event under whoever sent its record, when the record says so, or else the request that made it. A
 * delivery with a malformed traceparent could never be sent: it goes without.
 */
function traceable(event: ChangeEvent, headers: ChangeMessage['headers']): ChangeEvent {
  const traceparent = traceparentOf(headers) ?? event.traceparent
  if (traceparent === event.traceparent && isWellFormed(traceparent)) return event
  return { ...event, traceparent: isWellFormed(traceparent) ? traceparent : null }
}

const isWellFormed = (traceparent: string | null) =>
  traceparent === null || isTraceparent(traceparent)

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
