import { compileFilter } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import type { Change } from '@surehook/matching/read-change'
import type { Tenant } from '../subscriptions/subscription-changes.ts'

export type Wanted = {
  matches: (change: Change) => boolean
  select: ReadonlySet<string> | null
}

/**
 * Selects the changes that subscriptions with these fields would get, of some tables or of all.
 * `filterOf` fits the filter to the columns of a table.
 */
export function wantedBy(
  { projectId, environment }: Tenant,
  { table: tables, events, filter, select }: StreamQuery,
  filterOf: (table: string) => StreamQuery['filter'],
): Wanted {
  const ofAll = compiled(filter)
  const ofTable = new Map(tables?.map((table) => [table, compiled(filterOf(table))]))
  return {
    matches: ({ event, record }) =>
      event.projectId === projectId &&
      event.environment === environment &&
      (events === undefined || events.includes(event.operation)) &&
      (tables === undefined ? ofAll : ofTable.get(event.table))?.(record, event.changedFields) ===
        true,
    select: select === undefined ? null : new Set(select),
  }
}

function compiled(filter: StreamQuery['filter']): ReturnType<typeof compileFilter> {
  const parsed = parseFilter(filter ?? {})
  if (!parsed.ok) throw new Error('The filter of a stream is not valid')
  return compileFilter(parsed.filter)
}
