import { isAboutDeliveries } from '@surehook/contracts/events/delivery-events'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { circuitEventId, deadLetterEventId, endpointId } from '@surehook/contracts/ids'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import type { DeadLetter } from './delivery-audit.ts'
import type { Subscriber } from './subscribers.ts'

/** The events about the deliveries of a tenant, as often as they came. */
export type PublishedEvents = {
  tenant: Pick<Tenant, 'projectId' | 'environment'>
  /** Its subscribers of other tables. */
  subscribers: readonly Subscriber[]
  /** Events of `_deliveries`. */
  deadLetterEvents: readonly EventPayload[]
  /** Events of `_endpoints`. */
  circuitEvents: readonly EventPayload[]
}

/** The failures in a row that open a circuit. */
const threshold = 5

/** Returns the ids of dead letters that must have an event and have none. */
export function missingEvents(
  { deadLetterEvents }: Pick<PublishedEvents, 'deadLetterEvents'>,
  dead: readonly DeadLetter[],
): string[] {
  const published = new Set(deadLetterEvents.map(({ record }) => record['id']))
  return dead
    .filter(({ id, table }) => !isAboutDeliveries(table) && !published.has(id))
    .map(({ id }) => id)
}

/** Returns what is wrong with events of `_deliveries`. */
export function deadLetterFaults(
  { tenant, deadLetterEvents }: PublishedEvents,
  dead: readonly DeadLetter[],
): string[] {
  const known = new Map(dead.map((letter) => [letter.id, letter]))
  return deadLetterEvents.flatMap((payload) => {
    const id = String(payload.record['id'])
    const letter = known.get(id)
    if (letter === undefined)
      return `${id} has an event, but is no dead letter of ${tenant.projectId}`
    if (isAboutDeliveries(letter.table))
      return `${id} has an event, although it is about ${letter.table}`
    if (payload.id !== deadLetterEventId(id))
      return `${id} has the event ${payload.id}, which has a wrong id`
    return payload.record['webhookId'] === letter.subscriptionId ? [] : `${id}: wrong subscription`
  })
}

/** Returns what is wrong with events of `_endpoints`. */
export function circuitFaults(
  published: PublishedEvents,
  receiver: Pick<Receiver, 'url'>,
): string[] {
  const { tenant, subscribers, circuitEvents } = published
  const { projectId, environment } = tenant
  const owners = new Map(
    subscribers.map((subscriber) => [
      endpointId({ projectId, environment, url: receiver.url(subscriber.path) }),
      subscriber,
    ]),
  )
  const openings = openingsOf(circuitEvents)
  const faults = circuitEvents.flatMap((payload) => {
    const { id, change } = payload.record
    if (!owners.has(String(id))) return `${String(change)} of ${String(id)}, which cannot have one`
    if (change === 'circuit_closed' && !openings.has(payload.id)) return `${payload.id} closes none`
    return change === 'circuit_opened' && payload.id !== circuitIdOf(payload, 'open')
      ? `${payload.id} is not the id of its opening`
      : []
  })
  for (const [id, { name, refused }] of owners) {
    const failures = refused.values().reduce((sum, times) => sum + times, 0)
    const count = openings
      .values()
      .filter(({ record }) => record['id'] === id)
      .toArray().length
    // Each opening has a failure of its own, the fifth or a later one.
    if (count > 0 && count > failures - threshold + 1) {
      faults.push(`${name}: ${count} openings after ${failures} failures`)
    }
  }
  return faults
}

/** Returns the number of openings, and of those whose end has an event. */
export function countCircuits(circuitEvents: readonly EventPayload[]): {
  opened: number
  closed: number
} {
  const openings = openingsOf(circuitEvents)
  const ids = new Set(circuitEvents.map(({ id }) => id))
  return {
    opened: openings.size,
    closed: openings
      .keys()
      .filter((closing) => ids.has(closing))
      .toArray().length,
  }
}

/** Returns the openings, by the id that the event of the end must have. */
function openingsOf(circuitEvents: readonly EventPayload[]): Map<string, EventPayload> {
  return new Map(
    circuitEvents
      .filter(({ record }) => record['change'] === 'circuit_opened')
      .map((payload) => [circuitIdOf(payload, 'closed'), payload]),
  )
}

function circuitIdOf({ record }: EventPayload, circuit: 'open' | 'closed'): string {
  return circuitEventId(String(record['id']), Date.parse(String(record['openUntil'])), circuit)
}
