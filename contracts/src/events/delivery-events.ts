import { type CircuitIdentity, circuitId } from '../circuits.ts'
import type {
  ChangeEvent,
  ChangeOperation,
  DeliveryAttempt,
  ErrorClass,
  SubscriptionState,
} from '../events.ts'
import type { FieldType } from '../filter/filter.ts'
import { circuitEventId, deadLetterEventId, type EndpointPlace, endpointId } from '../ids.ts'

/** Reserved table: a delivery became a dead letter. */
export const deliveriesTable = '_deliveries'
/** Reserved table: a circuit opened or closed, or a subscription was deactivated for failing. */
export const endpointsTable = '_endpoints'

/** The record of an event of `_deliveries`, with the names of `GET /_deliveries`. */
export type DeadLetterRecord = {
  id: string
  webhookId: string
  /** As `webhookName` returns it. */
  webhookName: string | null
  eventId: string
  table: string
  event: ChangeOperation
  recordId: string | null
  status: 'dead_letter'
  attempts: number
  httpStatus: number | null
  lastError: ErrorClass | null
  url: string
  redeliveryOf: string | null
  createdAt: string
  updatedAt: string
}

export type EndpointChange = 'circuit_opened' | 'circuit_closed' | 'webhook_deactivated'

/** The record of an event of `_endpoints`. */
export type EndpointRecord = {
  id: string
  url: string
  change: EndpointChange
  /** Null: the event is not about the circuit. */
  circuit: 'open' | 'closed' | null
  openUntil: string | null
  /** The subscription that was deactivated, or whose own circuit opened or closed. */
  webhookId: string | null
  /** As `webhookName` returns it; null without `webhookId`. */
  webhookName: string | null
  reason: string | null
  updatedAt: string
}

const deliveryFields: Record<keyof DeadLetterRecord, FieldType> = {
  id: 'uuid',
  webhookId: 'uuid',
  webhookName: 'text',
  eventId: 'text',
  table: 'text',
  event: 'text',
  recordId: 'text',
  status: 'text',
  attempts: 'integer',
  httpStatus: 'integer',
  lastError: 'text',
  url: 'text',
  redeliveryOf: 'uuid',
  createdAt: 'timestamp',
  updatedAt: 'timestamp',
}

const endpointFields: Record<keyof EndpointRecord, FieldType> = {
  id: 'text',
  url: 'text',
  change: 'text',
  circuit: 'text',
  openUntil: 'timestamp',
  webhookId: 'uuid',
  webhookName: 'text',
  reason: 'text',
  updatedAt: 'timestamp',
}

/** The fields of each reserved table, so that filters are checked like those of other tables. */
export const deliveryEventTables: ReadonlyMap<string, ReadonlyMap<string, FieldType>> = new Map([
  [deliveriesTable, new Map(Object.entries(deliveryFields))],
  [endpointsTable, new Map(Object.entries(endpointFields))],
])

/**
 * True for the tables whose events are about deliveries. A delivery or a subscription of such a
 * table never causes an event about deliveries. Otherwise a receiver that fails could cause events
 * for ever.
 */
export const isAboutDeliveries = (table: string): boolean => deliveryEventTables.has(table)

/** What people call the subscription: its name, else its key. Null: it has neither. */
export const webhookName = ({
  name,
  key,
}: Pick<SubscriptionState, 'name' | 'key'>): string | null => name ?? (key === '' ? null : key)

/** The URL as clients see it. Some receivers expect a key in the query. */
export const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url

/**
 * The event of a delivery that became a dead letter. Null for other transitions, and for a delivery
 * about deliveries. A repeated call makes an event with the same id.
 * @param name of the subscription, as `webhookName` returns it
 */
export function deadLetterEvent(
  transition: DeliveryAttempt,
  name: string | null,
): ChangeEvent | null {
  const { change } = transition
  if (change === null || isAboutDeliveries(change.table)) return null
  const { deliveryId: id, subscriptionId: webhookId, at } = transition
  const record: DeadLetterRecord = {
    id,
    webhookId,
    webhookName: name,
    eventId: transition.eventId,
    table: change.table,
    event: change.operation,
    recordId: change.recordId,
    status: 'dead_letter',
    attempts: transition.attempts,
    httpStatus: transition.httpStatus,
    lastError: transition.errorClass,
    url: withoutQuery(transition.url),
    redeliveryOf: change.redeliveryOf,
    createdAt: new Date(transition.createdAt).toISOString(),
    updatedAt: new Date(at).toISOString(),
  }
  const { projectId, environment } = transition
  return {
    ...{ id: deadLetterEventId(id), timestamp: record.updatedAt, projectId, environment },
    ...{ table: deliveriesTable, recordId: id, operation: 'INSERT' },
    record: JSON.stringify(record),
    ...{ changedFields: [], source: 'webhook-api', requestId: null, traceparent: null },
  }
}

/** The opening of a circuit, or its end. */
export type CircuitChange = CircuitIdentity & {
  /** Its URL has no query. */
  place: EndpointPlace
  isOpen: boolean
  /** Epoch milliseconds. With the circuit it identifies the opening. */
  openUntil: number
  at: number
}

/**
 * The event of a circuit that opened or closed. A repeated call makes an event with the same id.
 * @param name of the subscription whose own circuit it is, as `webhookName` returns it
 */
export function circuitEvent(change: CircuitChange, name: string | null): ChangeEvent {
  const { endpointId: id, webhookId, place, isOpen, openUntil, at } = change
  const circuit = isOpen ? 'open' : 'closed'
  const record: EndpointRecord = {
    ...{ id, url: place.url, change: isOpen ? 'circuit_opened' : 'circuit_closed', circuit },
    openUntil: isOpen ? new Date(openUntil).toISOString() : null,
    ...{ webhookId, webhookName: name, reason: null, updatedAt: new Date(at).toISOString() },
  }
  return endpointEvent(place, record, {
    id: circuitEventId(circuitId(change), openUntil, circuit),
    changedFields: ['circuit', 'openUntil'],
    source: 'webhook-dispatcher',
  })
}

export type Deactivation = EndpointPlace &
  Pick<EndpointRecord, 'webhookName'> & { webhookId: string; reason: string; at: Date }

/** The event of a subscription that was deactivated because its receiver fails. */
export function deactivationEvent(eventId: string, deactivation: Deactivation): ChangeEvent {
  const { url, webhookId, webhookName: name, reason, at } = deactivation
  const record: EndpointRecord = {
    id: endpointId(deactivation),
    url: withoutQuery(url),
    change: 'webhook_deactivated',
    circuit: null,
    openUntil: null,
    ...{ webhookId, webhookName: name, reason, updatedAt: at.toISOString() },
  }
  return endpointEvent(deactivation, record, {
    id: eventId,
    changedFields: ['webhookId', 'reason'],
    source: 'webhook-api',
  })
}

function endpointEvent(
  { projectId, environment }: EndpointPlace,
  record: EndpointRecord,
  rest: Pick<ChangeEvent, 'id' | 'changedFields' | 'source'>,
): ChangeEvent {
  return {
    ...rest,
    ...{ timestamp: record.updatedAt, projectId, environment, table: endpointsTable },
    ...{ recordId: record.id, operation: 'UPDATE', record: JSON.stringify(record) },
    ...{ requestId: null, traceparent: null },
  }
}
