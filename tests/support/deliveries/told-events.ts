import { isAboutDeliveries } from '@surehook/contracts/delivery-events'
import type { EventPayload } from '@surehook/contracts/event-payload'
import { circuitEventId, deadLetterEventId, endpointId } from '@surehook/contracts/ids'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import type { DeadLetter } from './delivery-audit.ts'
import type { Subscriber } from './subscribers.ts'

/** What a tenant is told about its deliveries. */
export type Told = {
  tenant: Pick<Tenant, 'projectId' | 'environment'>
  /** Its subscribers of other tables. */
  subscribers: readonly Subscriber[]
  /** Events of `_deliveries`, as often as they came. */
  letters: readonly EventPayload[]
  /** Events of `_endpoints`, as often as they came. */
  circuits: readonly EventPayload[]
}

/** The failures in a row that open a circuit. */
const threshold = 5

/** Returns the ids of dead letters that must have an event and have none. */
export function untold({ letters }: Pick<Told, 'letters'>, dead: readonly DeadLetter[]): string[] {
  const told = new Set(letters.map(({ record }) => record['id']))
  return dead
    .filter(({ id, table }) => !isAboutDeliveries(table) && !told.has(id))
    .map(({ id }) => id)
}

/** Returns what is wrong with events of `_deliveries`. */
export function letterFaults({ tenant, letters }: Told, dead: readonly DeadLetter[]): string[] {
  const known = new Map(dead.map((letter) => [letter.id, letter]))
  return letters.flatMap((payload) => {
    const id = String(payload.record['id'])
    const letter = known.get(id)
    if (letter === undefined) return `${id} is told, but no dead letter of ${tenant.projectId}`
    if (isAboutDeliveries(letter.table))
      return `${id} is told, although it is about ${letter.table}`
    if (payload.id !== deadLetterEventId(id)) return `${id} is told by the event ${payload.id}`
    return payload.record['webhookId'] === letter.subscriptionId ? [] : `${id}: wrong subscription`
  })
}

/** Returns what is wrong with events of `_endpoints`. */
export function circuitFaults(told: Told, receiver: Pick<Receiver, 'url'>): string[] {
  const { tenant, subscribers, circuits } = told
  const { projectId, environment } = tenant
  const owners = new Map(
    subscribers.map((subscriber) => [
      endpointId(projectId, environment, receiver.url(subscriber.path)),
      subscriber,
    ]),
  )
  const openings = openingsOf(circuits)
  const faults = circuits.flatMap((payload) => {
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

/** Returns the number of openings, and of those whose end was told. */
export function countCircuits(circuits: readonly EventPayload[]): {
  opened: number
  closed: number
} {
  const openings = openingsOf(circuits)
  const ids = new Set(circuits.map(({ id }) => id))
  return {
    opened: openings.size,
    closed: openings
      .keys()
      .filter((closing) => ids.has(closing))
      .toArray().length,
  }
}

/** Returns the openings, by the id that the event of the end must have. */
function openingsOf(circuits: readonly EventPayload[]): Map<string, EventPayload> {
  return new Map(
    circuits
      .filter(({ record }) => record['change'] === 'circuit_opened')
      .map((payload) => [circuitIdOf(payload, 'closed'), payload]),
  )
}

function circuitIdOf({ record }: EventPayload, circuit: 'open' | 'closed'): string {
  return circuitEventId(String(record['id']), Date.parse(String(record['openUntil'])), circuit)
}
