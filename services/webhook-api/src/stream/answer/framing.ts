import { deliveryId } from '@surehook/contracts/ids'
import { buildBody } from '@surehook/matching/build-body'
import { plainHeaders } from '@surehook/matching/signed-headers'
import type { Selected } from './stream-selection.ts'

/** Stands for the id of the subscription, which a stream does not have. */
const noSubscription = '00000000-0000-0000-0000-000000000000'

/**
 * Writes one event of https://html.spec.whatwg.org/multipage/server-sent-events.html. A body with
 * line breaks, which JSON allows only between its tokens, becomes several lines of data.
 * @param cursor the cursor behind the event. Without it, the client keeps the cursor that it has.
 */
export function sseEvent({ event, select }: Selected, cursor?: string): string {
  const lines = buildBody(event, select)
    .toString()
    .split(/\r\n|\r|\n/)
  const data = lines.map((line) => `data: ${line}\n`).join('')
  const id = cursor === undefined ? '' : `id: ${cursor}\n`
  return `event: ${event.operation}\n${id}${data}\n`
}

/** Moves the client's last event id without dispatching an event. */
export const sseHeartbeat = (cursor: string): string => `: heartbeat\nid: ${cursor}\n\n`

/**
 * The time after which a client connects again by default.
 * @param view stands for what the client may read; `null` for a client that does not ask
 */
export const sseStart = (cursor: string, view: string | null): string =>
  `${view === null ? '' : `: view ${view}\n`}retry: 1000\nid: ${cursor}\n\n`

/**
 * Writes a line of a page. It has the headers of a webhook except the signatures, because a stream
 * has no secret.
 */
export function ndjsonLine(
  { event, select }: Selected,
  { cursor, timestampS }: { cursor: string; timestampS: number },
): string {
  const { id: eventId, operation } = event
  const webhookId = deliveryId(eventId, noSubscription)
  const headers = plainHeaders({ eventId, webhookId, operation }, timestampS)
  const body = buildBody(event, select).toString()
  return `${JSON.stringify({ cursor, headers, body })}\n`
}
