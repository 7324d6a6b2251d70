import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { Pool } from 'pg'
import { recordIncidents } from '../alerts/incident-store.ts'
import { recordFailures } from './failing-store.ts'
import { recordGone } from './gone-store.ts'

/**
 * Notes which subscriptions fail or are in trouble, and which receivers are gone.
 * @param onGone called if a subscription is to be deactivated because its receiver is gone
 */
export function outcomeNotes(pool: Pool, onGone: () => void) {
  return async (transitions: readonly DeliveryAttempt[]): Promise<void> => {
    await recordFailures(pool, transitions)
    await recordIncidents(pool, transitions)
    if (await recordGone(pool, transitions)) onGone()
  }
}
