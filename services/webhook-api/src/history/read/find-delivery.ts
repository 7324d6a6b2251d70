import type { DeliveryDetail } from '@surehook/contracts/http/webhooks/deliveries'
import type { Pool, PoolClient } from 'pg'
import type { Tenant } from '../../subscriptions/subscription-changes.ts'
import { readAttempts } from '../attempt-log.ts'
import { type DeliveryRow, shownColumns, toDelivery } from '../delivery-row.ts'

export type DeliveryPlace = { tenant: Tenant; subscriptionId: string; deliveryId: string }

export type LoggedDelivery = DeliveryRow & {
  day: string
  watched_table: string | null
  operation: 'INSERT' | 'UPDATE' | 'DELETE' | null
  webhook_id: string | null
  /** Absent before the log has read the job, empty when it was too large. */
  body: Buffer | null
  attempt_log: string | null
}

/** The bytes that the delivery `d` sends, which another of its event may keep. */
export const bodySql = `(
  with recursive keeper as (
    select d.body, d.body_of
    union all
    select next.body, next.body_of
    from keeper join delivery next on next.id = keeper.body_of and next.day = d.day)
  select body from keeper where body is not null limit 1)`

/** One delivery with its body; `undefined` when the subscription has no such delivery. */
export async function findDelivery(
  db: Pool | PoolClient,
  { tenant, subscriptionId, deliveryId }: DeliveryPlace,
): Promise<LoggedDelivery | undefined> {
  const { rows } = await db.query<LoggedDelivery>(
    `select day::text, ${shownColumns}, watched_table, operation, webhook_id, attempt_log,
            ${bodySql} as body
     from delivery d
     where id = $1 and subscription_id = $2 and project_id = $3 and environment = $4`,
    [deliveryId, subscriptionId, tenant.projectId, tenant.environment],
  )
  return rows[0]
}

export async function showDelivery(
  pool: Pool,
  place: DeliveryPlace,
): Promise<DeliveryDetail | undefined> {
  const delivery = await findDelivery(pool, place)
  if (delivery === undefined) return undefined
  return {
    ...toDelivery(delivery),
    webhookId: delivery.webhook_id,
    body: delivery.body === null || delivery.body.length === 0 ? null : delivery.body.toString(),
    attemptLog: readAttempts(delivery.attempt_log),
  }
}
