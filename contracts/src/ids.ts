import { hash, randomUUID } from 'node:crypto'
import type { ChangeEvent } from './events.ts'

/**
 * Namespace of every derived delivery id. It must never change: a matcher that repeats its work
 * would otherwise create duplicate deliveries.
 */
export const deliveryNamespace = 'a1d8f4c2-6e3b-5b7a-9c41-2f0e7d9b8a63'

/** UUIDv5 of `event id/subscription id`. Deriving it again gives the same id. */
export function deliveryId(eventId: string, subscriptionId: string): string {
  return uuidV5(`${eventId}/${subscriptionId}`)
}

/** Id of a redelivery: UUIDv5 of `delivery id/request id`. A repeated request gives the same id. */
export function redeliveryId(originalId: string, requestId: string): string {
  return uuidV5(`${originalId}/${requestId}`)
}

/** Id of the message to one recipient of an alert: UUIDv5 of `alert id/recipient`. */
export const alertMessageId = (alertId: string, recipient: string): string =>
  uuidV5(`${alertId}/${recipient}`)

/** What identifies an endpoint. A further part, such as an owner, must leave the ids without it. */
export type EndpointPlace = { projectId: string; environment: string; url: string }

/** Id of an endpoint: 32 hex digits derived from (project, environment, url). */
export function endpointId({ projectId, environment, url }: EndpointPlace): string {
  return hash('sha256', `${projectId}\0${environment}\0${url}`).slice(0, 32)
}

/** Key on `changes`. It keeps the changes of one record in order. */
export function changeKey(
  change: Pick<ChangeEvent, 'projectId' | 'environment' | 'table' | 'recordId'>,
): string {
  return `${change.projectId}/${change.environment}/${change.table}/${change.recordId}`
}

let lastMs = 0
let ofSameMs = 0

/**
 * UUIDv7, so that event ids sort roughly by time, and those of one process in order of creation: the
 * 12 bits after the time count (RFC 9562, section 6.2, method 1). `randomUUID` draws its random
 * bytes in advance. Drawing them for each id takes ten times as long.
 */
export function newEventId(): string {
  const now = Date.now()
  ofSameMs = now > lastMs ? 0 : ofSameMs + 1
  lastMs = Math.max(now, lastMs)
  if (ofSameMs > 0xfff) {
    lastMs += 1
    ofSameMs = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const count = ofSameMs.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${randomUUID().slice(18)}`
}

/**
 * Namespace of the event ids of CloudEvents. Fixed for ever, as their publishers may repeat them.
 */
export const cloudEventNamespace = '6f0a2f4e-93c7-5d08-8f5b-1c7e4b2d9a50'

/**
 * Id of the event that a CloudEvent becomes: UUIDv5 of `source id`. The two together are unique by
 * CloudEvents 1.0, and a source has no space.
 */
export function cloudEventId(source: string, id: string): string {
  return uuidV5(`${source} ${id}`, cloudEventBytes)
}

/**
 * Namespace of the ids of events about deliveries. Fixed for ever, as their writers repeat them.
 */
export const deliveryEventNamespace = 'd7c1b1de-52a6-5c0f-8f3e-6a9b0c4e71f5'

/** Id of the event that a delivery became a dead letter. */
export function deadLetterEventId(id: string): string {
  return uuidV5(`${id}/dead_letter`, deliveryEventBytes)
}

/** Id of the event that a circuit, which opened until `openUntil`, opened or closed. */
export function circuitEventId(
  endpoint: string,
  openUntil: number,
  circuit: 'open' | 'closed',
): string {
  return uuidV5(`${endpoint}/${openUntil}/${circuit}`, deliveryEventBytes)
}

/**
 * Namespace of the ids of events that rows of a source become. Fixed for ever, as the WAL may be
 * read again.
 */
export const rowEventNamespace = '3b9e5c04-7a16-5f2d-8c58-d0f4a1e96b27'

/** The database of a source. `systemId` is that of its cluster, from its control file. */
export type RowOrigin = { systemId: string; database: string }

/** A change in the WAL of a source. */
export type RowPlace = RowOrigin & {
  /** Position of the row's message, as PostgreSQL prints it. */
  lsn: string
  relationOid: number
  recordId: string
  /** Counts the changes with the same position: rows of one COPY share it. */
  place: number
}

/** Id of the event that a row's change becomes. A change that is read again has the same id. */
export function rowEventId(row: RowPlace): string {
  const { systemId, database, lsn, relationOid, recordId, place } = row
  const of = [systemId, encodeURIComponent(database), lsn.replace('/', '-')]
  return uuidV5([...of, relationOid, place, recordId].join('/'), rowEventBytes)
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')
const deliveryBytes = bytesOf(deliveryNamespace)
const cloudEventBytes = bytesOf(cloudEventNamespace)
const rowEventBytes = bytesOf(rowEventNamespace)
const deliveryEventBytes = bytesOf(deliveryEventNamespace)

/**
 * RFC 9562 §5.5. The matcher derives one per delivery, and the uuid package takes eight times as
 * long.
 */
function uuidV5(name: string, namespace: Buffer = deliveryBytes): string {
  const bytes = Buffer.concat([namespace, Buffer.from(name)])
  const digest = hash('sha1', bytes, 'hex')
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16)
  const of = (from: number, to: number) => digest.slice(from, to)
  return `${of(0, 8)}-${of(8, 12)}-5${of(13, 16)}-${variant}${of(17, 20)}-${of(20, 32)}`
}
