import { emitAll } from '@surehook/change-capture/emit/capture'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import { deadLetterEvent } from '@surehook/contracts/events/delivery-events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { Pool } from 'pg'
import { namesOf } from '../../subscriptions/store/names-of.ts'

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
  const ended = transitions.filter(({ change }) => change !== null)
  const names = await namesOf(pool, ended)
  const events = ended.flatMap(
    (transition) => deadLetterEvent(transition, names.get(transition.subscriptionId) ?? null) ?? [],
  )
  const messages = events.map((event) => ({
    header: { topic: changesTopic, key: changeKey(event) },
    body: JSON.stringify(event),
  }))
  await emitAll(pool, service, messages)
}
