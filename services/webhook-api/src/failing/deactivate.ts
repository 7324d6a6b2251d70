import type { EmitState } from '@surehook/change-capture/emit/state-writer'
import {
  deactivationEvent,
  isAboutDeliveries,
  webhookName,
} from '@surehook/contracts/events/delivery-events'
import { changeKey, newEventId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { PoolClient } from 'pg'
import { recordDeactivation } from '../alerts/incident-store.ts'
import { announce } from '../subscriptions/store/announce.ts'
import type { SubscriptionRow } from '../subscriptions/store/subscription-row.ts'
import { updateSubscription } from '../subscriptions/store/subscription-store.ts'

/**
 * Deactivates a subscription without a request, and records the reason. The transaction emits the
 * event of `_endpoints` and notes what people are told, so that a crash loses all or none.
 * @param since when its receiver began to fail
 */
export async function deactivate(
  tx: PoolClient,
  emit: EmitState,
  { before, since, reason }: { before: SubscriptionRow; since: Date; reason: string },
): Promise<void> {
  const now = new Date()
  const disabled = { active: false, updated_at: now, disabled_at: now, disabled_reason: reason }
  const after = { ...before, ...disabled }
  await updateSubscription(tx, after)
  await announce(tx, emit, { before, after })
  await recordDeactivation(tx, before, since)
  if (isAboutDeliveries(before.watched_table)) return
  const { id: webhookId, project_id: projectId, environment, url } = before
  const event = deactivationEvent(newEventId(), {
    ...{ projectId, environment, url, webhookId, webhookName: webhookName(before) },
    ...{ reason, at: now },
  })
  await emit({ topic: changesTopic, key: changeKey(event), state: event })
}
