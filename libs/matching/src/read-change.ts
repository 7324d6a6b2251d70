import type { ChangeEvent } from '@surehook/contracts/events'
import { isTraceparent, traceparentOf } from '@surehook/contracts/trace/traceparent'
import { walPositionOf } from '@surehook/contracts/wal-position'
import { type TypeCodec, UndecodableError } from '@surehook/schemas/codec'
import { changeFault } from './change-fault.ts'

/** A change that is matched: the event, with its record parsed once for all filters. */
export type Change = {
  readonly event: ChangeEvent
  readonly record: Readonly<Record<string, unknown>>
  /** WAL position of its commit, or `null` for a change that another service published. */
  readonly walPosition: string | null
  /**
   * The broker's timestamp in epoch milliseconds. Every reader gets the same, regardless of its own
   * clock.
   */
  readonly loggedAt: number
}

/** The parts of a message on `changes` that are read. */
export type ChangeMessage = {
  key: Buffer | null
  value: Buffer | null
  offset: string
  timestamp: string
  headers?: MessageHeaders
}

type MessageHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>

export type ReadChange = { change: Change } | { message: ChangeMessage; reason: string }

/**
 * Reads the change of a message, or the reason why it is not valid. Rejects only with errors that a
 * retry may cure.
 */
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
 * Sets the traceparent to the one of the Kafka record, or else to the one of the request. A
 * delivery with a malformed traceparent could never be sent, so a malformed one is dropped.
 */
function traceable(event: ChangeEvent, headers: ChangeMessage['headers']): ChangeEvent {
  const traceparent = traceparentOf(headers) ?? event.traceparent
  if (traceparent === event.traceparent && isWellFormed(traceparent)) return event
  return { ...event, traceparent: isWellFormed(traceparent) ? traceparent : null }
}

const isWellFormed = (traceparent: string | null) =>
  traceparent === null || isTraceparent(traceparent)

/**
 * Parses the record even if no filter needs it: bodies contain the text unchanged, and every body
 * must be JSON.
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
