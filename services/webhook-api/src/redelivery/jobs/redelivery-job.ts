import type { ChangeOperation, DeliveryJob } from '@surehook/contracts/events'
import { deliveryId, redeliveryId } from '@surehook/contracts/ids'
import type { SubscriptionRow } from '../../subscriptions/store/subscription-row.ts'

/** A delivery that can be sent again, with its body. */
export type Original = {
  id: string
  event_id: string
  webhook_id: string | null
  watched_table: string
  operation: ChangeOperation
  record_id: string | null
  body: Buffer
}

/** The request that causes a delivery. */
export type JobRequest = { requestId: string; now: number; traceparent: string | null }

/**
 * Makes a new delivery with the same bytes and `webhook-id`, for the subscription's present URL,
 * with fresh attempts. The same request always gives the same id.
 */
export function redeliveryJob(
  original: Original,
  { id: subscriptionId, project_id, environment, url }: SubscriptionRow,
  { requestId, now, traceparent }: JobRequest,
): DeliveryJob {
  return {
    deliveryId: redeliveryId(original.id, requestId),
    webhookId: original.webhook_id ?? deliveryId(original.event_id, subscriptionId),
    eventId: original.event_id,
    subscriptionId,
    projectId: project_id,
    environment,
    table: original.watched_table,
    operation: original.operation,
    url,
    body: original.body,
    createdAt: now,
    attempt: 1,
    step: 0,
    dueAt: 0,
    arrival: -1,
    redeliveryOf: original.id,
    traceparent,
    notBefore: 0,
    waitMs: 0,
    recordId: original.record_id,
  }
}
