import { emitAll } from '@surehook/change-capture/emit/capture'
import { type DeliveredChange, deadLetterEvent } from '@surehook/contracts/delivery-events'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { Pool } from 'pg'
import { service } from '../config.ts'

/**
 * Writes an event of `_deliveries` for each new dead letter into the WAL, from where the relay
 * publishes it. Call it after the history has the transitions and before their offsets are
 * committed. A crash in between repeats the call, and the events have the same ids again. The WAL
 * orders them behind the subscriptions that were answered before.
 */
export async function announceDeadLetters(
  pool: Pool,
  transitions: readonly DeliveryAttempt[],
): Promise<void> {
  const ended = transitions.filter(({ status }) => status === 'dead_letter')
  if (ended.length === 0) return
  const changes = await changesOf(pool, ended)
  const events = ended.flatMap((transition) => {
    const change = changes.get(transition.deliveryId.toLowerCase()) ?? unread
    return deadLetterEvent(transition, change) ?? []
  })
  const messages = events.map((event) => ({
    header: { topic: changesTopic, key: changeKey(event) },
    body: JSON.stringify(event),
  }))
  await emitAll(pool, service, messages)
}

const unread: DeliveredChange = { table: null, operation: null, recordId: null, redeliveryOf: null }

/** Returns what the deliveries deliver, by their ids. */
async function changesOf(
  pool: Pool,
  ended: readonly DeliveryAttempt[],
): Promise<ReadonlyMap<string, DeliveredChange>> {
  const { rows } = await pool.query<DeliveredChange & { id: string }>(deliveredChanges, [
    ended.map(({ deliveryId }) => deliveryId),
    ended.map(({ projectId }) => projectId),
    ended.map(({ environment }) => environment),
  ])
  return new Map(rows.map((row) => [row.id, row]))
}

// A job that is too large is on no topic that the history reads, and another may be read later. The
// table of the subscription then tells whether the delivery is about deliveries.
const deliveredChanges = `
  select distinct on (d.id) d.id, coalesce(d.watched_table, s.watched_table) as "table",
    d.operation, d.record_id as "recordId", d.redelivery_of as "redeliveryOf"
  from unnest($1::uuid[], $2::text[], $3::text[]) as ended (id, project_id, environment)
  join delivery d on d.id = ended.id and d.project_id = ended.project_id
    and d.environment = ended.environment
  left join subscription s on s.id = d.subscription_id and s.project_id = d.project_id
    and s.environment = d.environment
  order by d.id, d.operation is null`
