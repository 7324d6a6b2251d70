import type { ChangeEvent, DeliveryJob, SubscriptionState } from '@surehook/contracts/events'
import { planDeliveries } from '@surehook/matching/plan-deliveries'
import { toSubscription } from '@surehook/matching/subscription'

const record = { test: true }

/**
 * Makes a delivery for a test event. Its `record` marks it as a test; filter and selection do not
 * apply. The operation is one of the subscription's.
 */
export function testJob(
  subscription: SubscriptionState,
  { eventId, now, traceparent }: { eventId: string; now: number; traceparent: string | null },
): DeliveryJob {
  const state = { ...subscription, filter: null, select: null }
  const event: ChangeEvent = {
    id: eventId,
    timestamp: new Date(now).toISOString(),
    projectId: state.projectId,
    environment: state.environment,
    table: state.table,
    recordId: 'test',
    operation: state.events[0] ?? 'INSERT',
    record: JSON.stringify(record),
    changedFields: [],
    source: 'webhook-api',
    requestId: null,
    traceparent,
  }
  const targets = [toSubscription(state, null)]
  const plan = planDeliveries(event, targets, { maxBodyBytes: Number.POSITIVE_INFINITY, now })
  const [planned] = plan
  if (planned === undefined) throw new Error('a test event makes one delivery')
  return planned.job
}
