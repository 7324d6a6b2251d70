import type { CancellableStatus } from '@surehook/contracts/events'
import { type CancelInput, countedDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import { AppError, unavailable } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { dayOf } from '../history/rows/delivery-days.ts'
import { isRebuilding } from '../rebuild/rebuild-store.ts'
import { lockedSubscription } from '../subscriptions/store/find-own.ts'
import { updateCancellations } from '../subscriptions/store/subscription-store.ts'
import { emitSubscription } from '../subscriptions/store/subscription-versions.ts'
import type { KeyedWriter } from '../tenants/keyed-writer.ts'
import type { TenantCall } from '../tenants/tenant-call.ts'
import { withCancellation } from './cancellations.ts'

export type CancelDeps = { writer: KeyedWriter; historyPool: Pool }
export type CancelDeliveries = ReturnType<typeof cancelDeliveries>

/**
 * Writes the cancellation into the subscription's state. Every dispatcher reads the state before an
 * attempt. When this resolves, the state is on its topic, so no crash loses it. The history only
 * provides the count.
 */
export function cancelDeliveries({ writer, historyPool }: CancelDeps) {
  return (call: TenantCall, id: string, { status, until }: CancelInput) => {
    const request = { ...call, request: ['cancelDeliveries', id, { status, until }] }
    return writer.write(request, async (tx, emit) => {
      const row = await lockedSubscription(tx, id, call.tenant)
      if (await isRebuilding(historyPool)) throw unavailable('The history is being rebuilt')
      const askedAt = Date.now()
      const added = { status, until: Math.min(until?.getTime() ?? askedAt, askedAt), askedAt }
      const cancellations = withCancellation(row.cancellations, added)
      if (cancellations === null) throw tooMany()
      await updateCancellations(tx, row.id, cancellations)
      await emitSubscription(tx, emit, { ...row, cancellations })
      return {
        count: await countDeliveries(historyPool, { id: row.id, status, until: added.until }),
      }
    })
  }
}

const tooMany = () =>
  new AppError('CONFLICT', 'Too many cancellations with different until: leave out until')

async function countDeliveries(
  historyPool: Pool,
  { id, status, until }: { id: string; status: CancellableStatus; until: number },
): Promise<number> {
  const { rows } = await historyPool.query<{ count: number }>(
    `select count(*)::integer as count
     from (select from delivery
       where subscription_id = $1 and status = $2 and day <= $3::date and created_at <= $4
       limit $5) counted`,
    [id, status, dayOf(until), new Date(until), countedDeliveries],
  )
  return rows[0]?.count ?? 0
}
