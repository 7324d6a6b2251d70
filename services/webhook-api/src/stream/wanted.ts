import { compileFilter } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import type { Change } from '@surehook/matching/read-change'
import type { Tenant } from '../subscriptions/subscription-changes.ts'

export type Wanted = {
  matches: (change: Change) => boolean
  select: ReadonlySet<string> | null
}

/** Selects the changes that a subscription with these fields would get, of one table or of all. */
export function wantedBy(
  { projectId, environment }: Tenant,
  { table, events, filter, select }: Pick<StreamQuery, 'table' | 'events' | 'filter' | 'select'>,
): Wanted {
  const parsed = parseFilter(filter ?? {})
  if (!parsed.ok) throw new Error('The filter of a stream is not valid')
  const fits = compileFilter(parsed.filter)
  return {
    matches: ({ event, record }) =>
      event.projectId === projectId &&
      event.environment === environment &&
      (table === undefined || event.table === table) &&
      (events === undefined || events.includes(event.operation)) &&
      fits(record, event.changedFields),
    select: select === undefined ? null : new Set(select),
  }
}
