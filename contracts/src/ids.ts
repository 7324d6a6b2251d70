import { createHash } from 'node:crypto'
import { v5, v7 } from 'uuid'
import type { ChangeEvent } from './events.ts'

/**
 * Namespace of every derived delivery id. Fixed for ever: with another one, a matcher that repeats
 * its work would make deliveries anew.
 */
export const deliveryNamespace = 'a1d8f4c2-6e3b-5b7a-9c41-2f0e7d9b8a63'

/** UUIDv5 of `event id/subscription id`: whoever derives it again gets the same. */
export function deliveryId(eventId: string, subscriptionId: string): string {
  return v5(`${eventId}/${subscriptionId}`, deliveryNamespace)
}

/** The endpoint of a circuit: 32 hex digits for (project, environment, url). */
export function endpointId(projectId: string, environment: string, url: string): string {
  return createHash('sha256')
    .update(`${projectId}\0${environment}\0${url}`)
    .digest('hex')
    .slice(0, 32)
}

/** Key on `changes`: the changes of one record stay in order. */
export function changeKey(
  change: Pick<ChangeEvent, 'projectId' | 'environment' | 'table' | 'recordId'>,
): string {
  return `${change.projectId}/${change.environment}/${change.table}/${change.recordId}`
}

/** UUIDv7: ids of events sort roughly by time. */
export function newEventId(): string {
  return v7()
}
