import type { ChangeEvent } from '@surehook/contracts/events'
import { deliveryId } from '@surehook/contracts/ids'
import { buildBody } from '@surehook/matching/build-body'
import { plainHeaders } from '@surehook/matching/signed-headers'

/** Replaces the id of the subscription, which a stream has not. */
const noSubscription = '00000000-0000-0000-0000-000000000000'

export type Framed = {
  event: ChangeEvent
  select: ReadonlySet<string> | null
  /** Behind the event. */
  cursor: string
}

/**
 * One event of https://html.spec.whatwg.org/multipage/server-sent-events.html. A body with line
 * breaks, which JSON has only between its tokens, becomes several lines of data.
 */
export function sseEvent({ event, select, cursor }: Framed): string {
  const lines = buildBody(event, select)
    .toString()
    .split(/\r\n|\r|\n/)
  const data = lines.map((line) => `data: ${line}\n`).join('')
  return `event: ${event.operation}\nid: ${cursor}\n${data}\n`
}

/** Moves the client's last event id, and dispatches no event. */
export const sseHeartbeat = (cursor: string): string => `: heartbeat\nid: ${cursor}\n\n`

/** A client connects again after this time, unless it knows better. */
export const sseStart = (cursor: string): string => `retry: 1000\nid: ${cursor}\n\n`

/** A line of a page: the headers of a webhook except its signatures, for which there is no secret. */
export function ndjsonLine({ event, select, cursor }: Framed, timestampS: number): string {
  const { id: eventId, operation } = event
  const webhookId = deliveryId(eventId, noSubscription)
  const headers = plainHeaders({ eventId, webhookId, operation }, timestampS)
  const body = buildBody(event, select).toString()
  return `${JSON.stringify({ cursor, headers, body })}\n`
}
