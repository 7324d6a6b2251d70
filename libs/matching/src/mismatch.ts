import type { SubscriptionState } from '@surehook/contracts/events'
import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import type { Change } from './read-change.ts'

/** What of a subscription decides which changes it is about. */
export type Watch = Pick<
  SubscriptionState,
  'projectId' | 'environment' | 'table' | 'events' | 'filter'
>

/** The first condition that a change does not meet. */
export type Mismatch = 'tenant' | 'table' | 'events' | 'filter'

/**
 * Tells of one change after the other why the subscription is not about it; `null` when it is: what
 * `SubscriptionIndex` finds for many subscriptions at once. Throws when the filter is none.
 */
export function mismatchOf(watch: Watch): (change: Change) => Mismatch | null {
  const matches = predicateOf(watch.filter)
  return ({ event, record }) => {
    if (event.projectId !== watch.projectId || event.environment !== watch.environment) {
      return 'tenant'
    }
    if (event.table !== watch.table) return 'table'
    if (!watch.events.includes(event.operation)) return 'events'
    return matches(record, event.changedFields) ? null : 'filter'
  }
}

function predicateOf(filter: string | null): RecordPredicate {
  const parsed = parseFilter(filter === null ? {} : JSON.parse(filter))
  if (!parsed.ok) throw new Error('The filter of a subscription is not valid')
  return compileFilter(parsed.filter)
}
