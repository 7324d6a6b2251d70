import { isDeepStrictEqual } from 'node:util'
import type { EmitState } from '@surehook/change-capture/emit/state-writer'
import type { ChangeEvent, ChangeOperation } from '@surehook/contracts/events'
import type { Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import type { PoolClient } from 'pg'
import { type SubscriptionRow, toSubscription } from './subscription-row.ts'
import { deleteVersions, emitSubscription } from './subscription-versions.ts'

/** The reserved table whose records are the subscriptions. */
const table = '_webhooks'

/** The change of a subscription. A new `secret` is announced without its value. */
export type Announcement =
  | { before: null; after: SubscriptionRow }
  | { before: SubscriptionRow; after: SubscriptionRow; secret?: string | undefined }
  | { before: SubscriptionRow; after: null }

/**
 * Announces a change of a subscription in the transaction that makes it: its state with its
 * versions for the matchers and dispatchers, and an event for subscribers of `_webhooks`.
 */
export async function announce(
  tx: PoolClient,
  emit: EmitState,
  announcement: Announcement,
): Promise<void> {
  const { before, after } = announcement
  if (after === null) {
    await deleteVersions(tx, before.id)
    await emit({ topic: subscriptionsTopic, key: before.id, state: null })
  } else await emitSubscription(tx, emit, after)
  const event = eventOf(announcement)
  if (event !== null) await emit({ topic: changesTopic, key: changeKey(event), state: event })
}

/** Returns `null` if nothing changed. */
function eventOf(announcement: Announcement): ChangeEvent | null {
  const { before, after } = announcement
  if (before === null) return changeOf('INSERT', after, [])
  if (after === null) return changeOf('DELETE', before, [])
  const fields = changedFields(toSubscription(before), toSubscription(after))
  // Clients do not see the values of its headers.
  const isHidden = !fields.includes('policy') && !isDeepStrictEqual(before.policy, after.policy)
  const visible = isHidden ? [...fields, 'policy'] : fields
  const changed = announcement.secret === undefined ? visible : [...visible, 'secret']
  return changed.length === 0 ? null : changeOf('UPDATE', after, changed)
}

function changeOf(operation: ChangeOperation, row: SubscriptionRow, fields: string[]): ChangeEvent {
  return {
    id: newEventId(),
    timestamp: new Date().toISOString(),
    projectId: row.project_id,
    environment: row.environment,
    table,
    recordId: row.id,
    operation,
    record: JSON.stringify(toSubscription(row)),
    changedFields: fields,
    source: 'webhook-api',
    requestId: null,
    traceparent: null,
  }
}

function changedFields(before: Subscription, after: Subscription): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Subscription>
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
