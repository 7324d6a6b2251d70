import { emitAll } from '@surehook/change-capture/emit/capture'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import { deadLetterEvent } from '@surehook/contracts/events/delivery-events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { Pool } from 'pg'

/**
 * Writes an event of `_deliveries` for each new dead letter into the WAL, from where the relay
 * publishes it. Call it after the history has the transitions and before their offsets are
 * committed. A crash in between repeats the call, and the events have the same ids again. The WAL
 * orders them behind the subscriptions that were answered before.
 */
export async function announceDeadLetters(
  pool: Pool,
  service: string,
  transitions: readonly DeliveryAttempt[],
): Promise<void> {
  const ended = transitions.filter(({ status }) => status === 'dead_letter')
  const tables = await tablesOf(
    pool,
    ended.filter(({ change }) => change === null),
  )
  const events = ended.flatMap((transition) => {
    const table = tables.get(transition.subscriptionId.toLowerCase())
    return deadLetterEvent(transition, table) ?? []
  })
  const messages = events.map((event) => ({
    header: { topic: changesTopic, key: changeKey(event) },
    body: JSON.stringify(event),
  }))
  await emitAll(pool, service, messages)
}

/** Returns the tables of subscriptions, for transitions that an older version made. */
async function tablesOf(
  pool: Pool,
  transitions: readonly DeliveryAttempt[],
): Promise<ReadonlyMap<string, string>> {
  if (transitions.length === 0) return new Map()
  const { rows } = await pool.query<{ id: string; table: string }>(
    `select s.id, s.watched_table as "table" from subscription s
     join unnest($1::uuid[], $2::text[], $3::text[]) as ended (id, project_id, environment)
       using (id, project_id, environment)`,
    [
      transitions.map(({ subscriptionId }) => subscriptionId),
      transitions.map(({ projectId }) => projectId),
      transitions.map(({ environment }) => environment),
    ],
  )
  return new Map(rows.map(({ id, table }) => [id, table]))
}
