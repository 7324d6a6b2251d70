import type { ChangeEvent, ChangeOperation } from '@surehook/contracts/events'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { Tenant } from '../../table-definition.ts'

/** The request that caused a change. */
export type ChangeOrigin = Pick<ChangeEvent, 'requestId' | 'traceparent'>

/**
 * Builds the part of a change event's header that is known before the write: JSON up to the
 * record's id in its key. `capture_change` adds what only the database knows.
 */
export function changeHead(
  operation: ChangeOperation,
  tenant: Tenant,
  { table, requestId, traceparent }: ChangeOrigin & { table: string },
): string {
  const { projectId, environment } = tenant
  const place = { projectId, environment, table }
  const known = {
    topic: changesTopic,
    id: newEventId(),
    ...place,
    operation,
    requestId,
    traceparent,
    key: changeKey({ ...place, recordId: '' }),
  }
  return JSON.stringify(known).slice(0, -'"}'.length)
}
