import type { DeliveryStatus, ErrorClass } from '@surehook/contracts/events'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'

/** The columns of a delivery that lists show. */
export type DeliveryRow = {
  id: string
  event_id: string
  status: DeliveryStatus
  http_status: number | null
  attempts: number
  created_at: Date
  last_error: ErrorClass | null
  next_attempt_at: Date | null
  redelivery_of: string | null
}

export const shownColumns =
  'id, event_id, status, http_status, attempts, created_at, last_error, next_attempt_at, redelivery_of'

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    status: row.status,
    httpStatus: row.http_status,
    attempts: row.attempts,
    createdAt: row.created_at.toISOString(),
    lastError: row.last_error,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    redeliveryOf: row.redelivery_of,
  }
}
