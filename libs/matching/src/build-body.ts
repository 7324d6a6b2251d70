import type { ChangeEvent } from '@surehook/contracts/events'
import { recordMembers } from './record-members.ts'

/**
 * Builds the body of a delivery, with the fields in the order of `EventPayload`. `record` and
 * `data` are the same text: the record as published, or its selected fields.
 */
export function buildBody(event: ChangeEvent, select: ReadonlySet<string> | null): Buffer {
  const record = select === null ? event.record : selected(event.record, select)
  const head = JSON.stringify({
    id: event.id,
    timestamp: event.timestamp,
    project_id: event.projectId,
    environment: event.environment,
    table: event.table,
    event: event.operation,
  })
  const changed = JSON.stringify(event.changedFields)
  return Buffer.from(
    `${head.slice(0, -1)},"record":${record},"data":${record},"changed_fields":${changed}}`,
  )
}

function selected(record: string, select: ReadonlySet<string>): string {
  const members: string[] = []
  for (const [key, text] of recordMembers(record)) {
    if (select.has(key)) members.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${members.join()}}`
}
