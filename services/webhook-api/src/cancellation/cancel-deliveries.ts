import type { CancellableStatus } from '@surehook/contracts/events'
import { type CancelInput, countedDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import { AppError, unavailable } from '@surehook/service-kit/errors'
import { dayOf } from '../history/rows/delivery-days.ts'
import { isRebuilding } from '../rebuild/rebuild-store.ts'
import { lockedSubscription, ownSubscription } from '../subscriptions/store/find-own.ts'
import { updateCancellations } from '../subscriptions/store/subscription-store.ts'
import { emitSubscription } from '../subscriptions/store/subscription-versions.ts'
import { ahead } from '../tenants/ahead.ts'
import type { ReadSlots } from '../tenants/connection-slots.ts'
import type { KeyedWriter } from '../tenants/keyed-writer.ts'
import type { Pools } from '../tenants/open-database.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantCall } from '../tenants/tenant-call.ts'
import { withCancellation } from './cancellations.ts'

export type CancelDeps = Pools & { slots: ReadSlots; writer: KeyedWriter }
export type CancelDeliveries = ReturnType<typeof cancelDeliveries>

/**
 * Writes the cancellation into the subscription's state. Every dispatcher reads the state before an
 * attempt. When this resolves, the state is on its topic, so no crash loses it. The history only
 * provides the count.
 */
export function cancelDeliveries(deps: CancelDeps) {
  return async (call: TenantCall, id: string, { status, until }: CancelInput) => {
    const waiting = { id, status, until: until ?? new Date() }
    const count = await ahead(() => countDeliveries(deps, call.tenant, waiting))
    const request = { ...call, request: ['cancelDeliveries', id, { status, until }] }
    return deps.writer.write(request, async (tx, emit) => {
      const row = await lockedSubscription(tx, id, call.tenant)
      const answer = { count: count() }
      const askedAt = Date.now()
      const added = { status, until: Math.min(until?.getTime() ?? askedAt, askedAt), askedAt }
      const cancellations = withCancellation(row.cancellations, added)
      if (cancellations === null) throw tooMany()
      await updateCancellations(tx, row.id, cancellations)
      await emitSubscription(tx, emit, { ...row, cancellations })
      return answer
    })
  }
}

const tooMany = () =>
  new AppError('CONFLICT', 'Too many cancellations with different until: leave out until')

async function countDeliveries(
  { pool, historyPool, slots }: CancelDeps,
  tenant: Tenant,
  { id, status, until }: { id: string; status: CancellableStatus; until: Date },
): Promise<number> {
  const own = await slots.read(tenant)(() => ownSubscription(pool, id, tenant))
  return slots.history(tenant)(async () => {
    if (await isRebuilding(historyPool)) throw unavailable('The history is being rebuilt')
    const { rows } = await historyPool.query<{ count: number }>(
      `select count(*)::integer as count
       from (select from delivery
         where subscription_id = $1 and status = $2 and day <= $3::date and created_at <= $4
         limit $5) counted`,
      [own.id, status, dayOf(until.getTime()), until, countedDeliveries],
    )
    return rows[0]?.count ?? 0
  })
}
