import type { SubscriptionState } from '@surehook/contracts/events'
import { subscriptionColumns } from '@surehook/contracts/events/subscription-columns'
import type { Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import { type StoredPolicy, shownPolicy, toPolicy } from '../policy/stored-policy.ts'

type Columns = typeof subscriptionColumns

/** A row of table `subscription`. Each field of the state has a column. */
export type SubscriptionRow = Omit<
  { [Field in keyof Columns as Columns[Field]]: SubscriptionState[Field] },
  'created_at' | 'updated_at' | 'policy'
> & {
  created_at: Date
  updated_at: Date
  /** `null`: all defaults. */
  policy: StoredPolicy | null
  /** When and why the service deactivated it; `null` if it did not. */
  disabled_at: Date | null
  disabled_reason: string | null
}

/**
 * The subscription as clients see it: without secrets, and without the fields that are absent.
 */
export function toSubscription(row: SubscriptionRow): Subscription {
  const policy = shownPolicy(row.policy)
  return {
    id: row.id,
    projectId: row.project_id,
    environment: row.environment,
    table: row.watched_table,
    events: row.events,
    url: row.url,
    active: row.active,
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.filter === null ? {} : { filter: JSON.parse(row.filter) }),
    ...(row.selected === null ? {} : { select: row.selected }),
    ...(policy && { policy }),
    createdAt: row.created_at.toISOString(),
    ...(row.disabled_at === null || row.disabled_reason === null
      ? {}
      : { disabledAt: row.disabled_at.toISOString(), disabledReason: row.disabled_reason }),
  }
}

/** The state on the topic: the whole row with encrypted secrets, without its versions. */
export function toState(row: SubscriptionRow): SubscriptionState {
  const fields = Object.entries(subscriptionColumns).map(([field, column]) => [field, row[column]])
  return {
    ...(Object.fromEntries(fields) as SubscriptionState),
    versions: [],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    policy: row.policy && toPolicy(row.policy),
  }
}
