import type { SubscriptionState } from '@surehook/contracts/events'
import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import type { Change } from './read-change.ts'

/** Fields of a subscription that decide which changes it matches. */
export type Watch = Pick<
  SubscriptionState,
  'projectId' | 'environment' | 'table' | 'events' | 'filter'
>

/** The first condition that a change does not satisfy. */
export type Mismatch = 'tenant' | 'table' | 'events' | 'filter'

/**
 * Returns a function that gives the reason why the subscription does not match a change, or `null`
 * if it matches. `SubscriptionIndex` gives the same result for many subscriptions at once. Throws
 * when the filter is not valid.
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
