import type {
  Cancellation,
  ChangeOperation,
  SealedSecret,
  SubscriptionState,
} from '@surehook/contracts/events'
import type { Subscription } from '@surehook/contracts/http/webhooks/webhooks'

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
  /** When and why it was deactivated without being asked; `null` when it was not. */
  disabled_at: Date | null
  disabled_reason: string | null
  /** Written by itself: whatever else changes the row leaves it. */
  cancellations: Cancellation[]
}

/** What clients see: never a secret, and no `filter` or `select` where there is none. */
export function toSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    projectId: row.project_id,
    environment: row.environment,
    table: row.watched_table,
    events: row.events,
    url: row.url,
    active: row.active,
    ...(row.filter === null ? {} : { filter: JSON.parse(row.filter) }),
    ...(row.selected === null ? {} : { select: row.selected }),
    createdAt: row.created_at.toISOString(),
    ...(row.disabled_at === null || row.disabled_reason === null
      ? {}
      : { disabledAt: row.disabled_at.toISOString(), disabledReason: row.disabled_reason }),
  }
}

/** What the topic carries: the whole row, its secrets sealed. */
export function toState(row: SubscriptionRow): SubscriptionState {
  return {
    id: row.id,
    projectId: row.project_id,
    environment: row.environment,
    table: row.watched_table,
    events: row.events,
    url: row.url,
    active: row.active,
    filter: row.filter,
    select: row.selected,
    secrets: row.secrets,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    cancellations: row.cancellations,
  }
}
