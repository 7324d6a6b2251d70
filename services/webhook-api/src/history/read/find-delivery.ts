import type { DeliveryDetail } from '@surehook/contracts/http/webhooks/deliveries'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import type { Tenant } from '../../tenants/tenant.ts'
import { readAttempts } from '../rows/attempt-log.ts'
import { type DeliveryRow, shownColumns, toDelivery } from '../rows/delivery-row.ts'
import type { BodyOfRow, StoredBodies } from './stored-bodies.ts'

export type DeliveryPlace = { tenant: Tenant; subscriptionId: string; deliveryId: string }

export type LoggedDelivery = DeliveryRow &
  BodyOfRow & {
    day: string
    watched_table: string | null
    operation: 'INSERT' | 'UPDATE' | 'DELETE' | null
    webhook_id: string | null
    record_id: string | null
    attempt_log: string | null
  }

/** The columns of a delivery that locate its body. */
export const bodyColumns =
  'subscription_id, project_id, environment, job_partition, job_offset, body'

/** Returns one delivery, or `undefined` if the subscription has no such delivery. */
export async function findDelivery(
  db: Pool | PoolClient,
  { tenant, subscriptionId, deliveryId }: DeliveryPlace,
): Promise<LoggedDelivery | undefined> {
  const { rows } = await db.query<LoggedDelivery>(
    `select day::text, ${shownColumns}, watched_table, operation, webhook_id, record_id,
            attempt_log,
            ${bodyColumns}
     from delivery
     where id = $1 and subscription_id = $2 and project_id = $3 and environment = $4`,
    [deliveryId, subscriptionId, tenant.projectId, tenant.environment],
  )
  return rows[0]
}

/** Shows a delivery with the body that its topic keeps. */
export async function showDelivery(
  bodies: StoredBodies,
  delivery: LoggedDelivery,
): Promise<Omit<DeliveryDetail, 'retryDelays'>> {
  const body = await bodies.find(delivery)
  return {
    ...toDelivery(delivery),
    webhookId: delivery.webhook_id,
    // A delivery that was too large has no body.
    body: typeof body === 'string' || body.length === 0 ? null : body.toString(),
    attemptLog: readAttempts(delivery.attempt_log),
  }
}

export const noDelivery = () => new AppError('DELIVERY_NOT_FOUND', 'No such delivery')
