import { AppError } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'
import type { Tenant } from '../../tenants/tenant.ts'
import type { SubscriptionRow } from './subscription-row.ts'
import * as store from './subscription-store.ts'

/**
 * Returns the tenant's subscription. One of another tenant gives the same error as an unknown one.
 */
export async function ownSubscription(
  pool: Pool,
  id: string,
  tenant: Tenant,
): Promise<SubscriptionRow> {
  const row = isUuid(id) ? await store.findSubscription(pool, id, tenant) : undefined
  if (row === undefined) throw notFound()
  return row
}

/** Like `ownSubscription`, with a lock until the transaction ends. */
export async function lockedSubscription(
  tx: PoolClient,
  id: string,
  tenant: Tenant,
): Promise<SubscriptionRow> {
  const row = isUuid(id) ? await store.lockSubscription(tx, id, tenant) : undefined
  if (row === undefined) throw notFound()
  return row
}

export const isUuid = (id: string) => z.uuid().safeParse(id).success
const notFound = () => new AppError('WEBHOOK_NOT_FOUND', 'No such webhook')
