import type { DeliveryStatus } from '@surehook/contracts/events'
import type { DeliveryDetail } from '@surehook/contracts/http/webhooks/deliveries'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import { decodeCursor, pageOf } from '@surehook/service-kit/http/cursor'
import { isUuid, ownSubscription } from '../../subscriptions/store/find-own.ts'
import type { ReadSlots } from '../../tenants/connection-slots.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { toDelivery } from '../rows/delivery-row.ts'
import { findDeliveries, Position, positionOf } from './find-deliveries.ts'
import { findDelivery, noDelivery, showDelivery } from './find-delivery.ts'
import type { StoredBodies } from './stored-bodies.ts'

export type ListQuery = {
  status?: DeliveryStatus | undefined
  eventId?: string | undefined
  since?: Date | undefined
  limit: number
  cursor?: string | undefined
}

export type DeliveryHistoryDeps = Pools & {
  slots: ReadSlots
  bodies: StoredBodies
  /** Of subscriptions without their own. */
  defaultDelays: readonly string[]
}

/** The tenant's view of the delivery log: the deliveries of its own subscriptions. */
export function deliveryHistory(deps: DeliveryHistoryDeps) {
  const { pool, historyPool, slots, bodies, defaultDelays } = deps
  return {
    /** The caller must have checked that the subscription is the tenant's. */
    async newest(tenant: Tenant, subscriptionId: string, limit: number): Promise<Delivery[]> {
      const query = { subscriptionId, limit }
      const rows = await slots.history(tenant)(() => findDeliveries(historyPool, query))
      return rows.map(toDelivery)
    },

    async list(tenant: Tenant, id: string, { limit, cursor, ...filters }: ListQuery) {
      const after = decodeCursor(Position, cursor)
      const { id: subscriptionId } = await slots.read(tenant)(() =>
        ownSubscription(pool, id, tenant),
      )
      const query = { ...filters, subscriptionId, after, limit: limit + 1 }
      const rows = await slots.history(tenant)(() => findDeliveries(historyPool, query))
      const { page, nextCursor } = pageOf(rows, limit, positionOf)
      return { deliveries: page.map(toDelivery), nextCursor }
    },

    async get(tenant: Tenant, id: string, deliveryId: string): Promise<DeliveryDetail> {
      const own = await slots.read(tenant)(() => ownSubscription(pool, id, tenant))
      if (!isUuid(deliveryId)) throw noDelivery()
      const place = { tenant, subscriptionId: own.id, deliveryId }
      const row = await slots.history(tenant)(() => findDelivery(historyPool, place))
      if (row === undefined) throw noDelivery()
      const retryDelays = [...(own.policy?.retryDelays ?? defaultDelays)]
      return { ...(await showDelivery(bodies, row)), retryDelays }
    },
  }
}
