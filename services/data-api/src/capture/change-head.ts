import type { ChangeEvent, ChangeOperation } from '@surehook/contracts/events'
import { newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { Tenant } from '../tables/table-definition.ts'

/** The request behind a change. */
export type ChangeOrigin = Pick<ChangeEvent, 'requestId' | 'traceparent'>

/**
 * The part of a captured change's header that is known before the write, without its last brace:
 * `capture_change` adds what only the database knows.
 */
export function changeHead(
  operation: ChangeOperation,
  { projectId, environment }: Tenant,
  { table, requestId, traceparent }: ChangeOrigin & { table: string },
): string {
  const header = {
    topic: changesTopic,
    id: newEventId(),
    projectId,
    environment,
    table,
    operation,
    requestId,
    traceparent,
  }
  return JSON.stringify(header).slice(0, -1)
}
