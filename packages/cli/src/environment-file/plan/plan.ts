import type { Wishes } from '../file/wishes.ts'
import { planIssuers } from './plan-issuers.ts'
import { planNotify } from './plan-notify.ts'
import { planRoles } from './plan-roles.ts'
import { planSubscriptions } from './plan-subscriptions.ts'
import { planTables } from './plan-tables.ts'
import type { Plan, PlanOptions, State } from './steps.ts'

/**
 * Plans the steps from the current state to the file. Their order: roles, tables, subscriptions,
 * settings, then deletions, of subscriptions first. Filters may need columns that the file adds. A
 * receiver that moves to a new subscription misses nothing, because the old one ends last.
 */
export function makePlan(wishes: Wishes, state: State, options: PlanOptions): Plan {
  const parts = [
    planRoles(wishes, state),
    planTables(wishes, state, options),
    planSubscriptions(wishes, state, options),
    planNotify(wishes, state),
    planIssuers(wishes, state),
  ]
  const steps = parts.flatMap((part) => part.steps)
  const deletions = parts.toReversed().flatMap((part) => part.deletions)
  return {
    steps: [...steps, ...deletions],
    refusals: parts.flatMap((part) => part.refusals),
    left: parts.flatMap((part) => part.left),
  }
}
