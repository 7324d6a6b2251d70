import type { ChangeEvent } from '@surehook/contracts/events'
import type { Tenant } from '../source-row.ts'

/** The table of events about sources. */
export const sourcesTable = '_sources'

export type SourceIdentity = Tenant & { name: string }

type Parts = { id: string; committedAt: number; says: { event: string } & Record<string, string> }

/** An event about the source itself. Its record says what happened. */
export function sourceEvent(
  { projectId, environment, name }: SourceIdentity,
  { id, committedAt, says }: Parts,
): ChangeEvent {
  return {
    ...{ id, projectId, environment, table: sourcesTable, recordId: name },
    ...{ operation: 'UPDATE', changedFields: [], requestId: null, traceparent: null },
    source: `postgres/${name}`,
    timestamp: new Date(committedAt).toISOString(),
    record: JSON.stringify({ source: name, ...says }),
  }
}
