import type { PoolClient } from 'pg'
import type { Tenant } from '../platform/tenant.ts'
import type { User } from '../user.ts'
import { type ChangeOrigin, emitUserChanges } from '../users/user-changes.ts'
import { markVerified } from '../users/user-store.ts'

type Confirmation = { tenant: Tenant; userId: string; origin: ChangeOrigin }

/**
 * Call it after `redeem`. Returns `null` if the address was already confirmed, or if the user is
 * disabled or deleted.
 */
export async function confirmAddress(
  tx: PoolClient,
  { tenant, userId, origin }: Confirmation,
): Promise<User | null> {
  const user = await markVerified(tx, tenant, userId)
  if (user === null) return null
  const change = { operation: 'UPDATE', user, changedFields: ['emailVerified'] } as const
  await emitUserChanges(tx, [change], origin)
  return user
}
