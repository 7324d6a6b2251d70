import type {
  Cancellation,
  ChangeOperation,
  SealedSecret,
  SubscriptionState,
} from '@surehook/contracts/events'
import type { Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import { type StoredPolicy, shownPolicy, toPolicy } from '../policy/stored-policy.ts'

/** A row of table `subscription`. */
export type SubscriptionRow = {
  id: string
  project_id: string
  environment: string
  watched_table: string
  events: ChangeOperation[]
  url: string
  active: boolean
  filter: string | null
  selected: string[] | null
  secrets: SealedSecret[]
  created_at: Date
  updated_at: Date
  /** When and why the service deactivated it; `null` if it did not. */
  disabled_at: Date | null
  disabled_reason: string | null
  /** `null`: all defaults. */
  policy: StoredPolicy | null
  /** Written by itself: whatever else changes the row leaves it. */
  cancellations: Cancellation[]
  /** Unique in the environment; `null` for none. */
  name: string | null
}

/**
 * The subscription as clients see it: without secrets, and without an absent `filter`, `select` or
 * `policy`.
 */
export function toSubscription(row: SubscriptionRow): Subscription {
  const policy = shownPolicy(row.policy)
  return {
    ...shared(row),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.filter === null ? {} : { filter: JSON.parse(row.filter) }),
    ...(row.selected === null ? {} : { select: row.selected }),
    ...(policy && { policy }),
    createdAt: row.created_at.toISOString(),
    ...(row.disabled_at === null || row.disabled_reason === null
      ? {}
      : { disabledAt: row.disabled_at.toISOString(), disabledReason: row.disabled_reason }),
  }
}

/** The state on the topic: the whole row with encrypted secrets. */
export function toState(row: SubscriptionRow): SubscriptionState {
  return {
    ...shared(row),
    filter: row.filter,
    select: row.selected,
    secrets: row.secrets,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    policy: row.policy && toPolicy(row.policy),
    cancellations: row.cancellations,
    name: row.name,
  }
}

const shared = (row: SubscriptionRow) => ({
  id: row.id,
  projectId: row.project_id,
  environment: row.environment,
  table: row.watched_table,
  events: row.events,
  url: row.url,
  active: row.active,
})
