import type { ChangeEvent } from '@surehook/contracts/events'
import { httpSource } from '@surehook/contracts/events/new-change'
import { type ChangeInput, maxPublishedRecordBytes } from '@surehook/contracts/http/data/changes'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { requestFingerprint } from '@surehook/service-kit/idempotency/request-fingerprint'
import type { Tenant } from '../table-definition.ts'

/** The ids of the request that publishes the change. */
export type PublishOrigin = Pick<ChangeEvent, 'requestId' | 'traceparent'>

/** A change as a row of the statement that publishes it. */
export type NewEvent = {
  id: string
  /** Two changes with one id and one fingerprint are the same change. */
  fingerprint: Buffer
  table: string
  /** The header in the WAL as JSON, without its closing brace. The database adds the timestamp. */
  head: string
  timestamp: string | null
  record: string
}

/** @returns null if the record is too large */
export function newEvent(
  tenant: Tenant,
  { requestId, traceparent }: PublishOrigin,
  change: ChangeInput,
): NewEvent | null {
  const { table, recordId, event: operation, changedFields = [], timestamp = null } = change
  const record = JSON.stringify(change.record)
  if (Buffer.byteLength(record) > maxPublishedRecordBytes) return null
  // UUIDs in upper and lower case are equal. One spelling keeps the ids of deliveries, which derive
  // from it, equal too.
  const id = change.id?.toLowerCase() ?? newEventId()
  const { projectId, environment } = tenant
  const place = { projectId, environment, table, recordId }
  const header = {
    topic: changesTopic,
    key: changeKey(place),
    id,
    ...place,
    operation,
    changedFields,
    source: httpSource,
    requestId,
    traceparent,
  }
  return {
    id,
    fingerprint: requestFingerprint([
      table,
      recordId,
      operation,
      change.record,
      changedFields,
      timestamp,
    ]),
    table,
    head: JSON.stringify(header).slice(0, -1),
    timestamp,
    record,
  }
}
