import type { EmitState } from '@surehook/change-capture/emit/state-writer'
import type { PoolClient } from 'pg'
import { announce } from '../subscriptions/announce.ts'
import type { SubscriptionRow } from '../subscriptions/subscription-row.ts'
import { updateSubscription } from '../subscriptions/subscription-store.ts'

/** Deactivates a subscription without a request, and records the reason. */
export async function deactivate(
  tx: PoolClient,
  emit: EmitState,
  { before, reason }: { before: SubscriptionRow; reason: string },
): Promise<void> {
  const now = new Date()
  const disabled = { active: false, updated_at: now, disabled_at: now, disabled_reason: reason }
  const after = { ...before, ...disabled }
  await updateSubscription(tx, after)
  await announce(tx, emit, { before, after })
}
