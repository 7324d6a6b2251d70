import type { DeliveryStatus, ErrorClass } from '@surehook/contracts/events'
import type { Delivery } from '@surehook/contracts/http/webhooks'
import type { Pool } from 'pg'

type Row = {
  id: string
  event_id: string
  status: DeliveryStatus
  http_status: number | null
  attempts: number
  created_at: Date
  last_error: ErrorClass | null
  next_attempt_at: Date | null
}

/** The newest first. The order begins with the day so that old partitions are never opened. */
export async function newestDeliveries(
  pool: Pool,
  subscriptionId: string,
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await pool.query<Row>(
    `select id, event_id, status, http_status, attempts, created_at, last_error, next_attempt_at
     from delivery where subscription_id = $1
     order by day desc, created_at desc, id desc limit $2`,
    [subscriptionId, limit],
  )
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    status: row.status,
    httpStatus: row.http_status,
    attempts: row.attempts,
    createdAt: row.created_at.toISOString(),
    lastError: row.last_error,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  }))
}
