import { countedPairs, type EventCounts } from '@surehook/contracts/http/webhooks/event-list'
import { deliveryId } from '@surehook/contracts/ids'
import { LoopShare } from '@surehook/service-kit/slots/loop-share'
import type { Pool } from 'pg'
import { dayOf } from '../../history/rows/delivery-days.ts'
import type { ReadSlots } from '../../tenants/connection-slots.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { timeInId } from '../explain/event-time.ts'

const dayMs = 86_400_000

/**
 * Counts the subscriptions of the tenant with a delivery of each event. The ids of deliveries derive
 * from those of event and subscription, so that the primary key finds them.
 */
export function countEventDeliveries({ pool, historyPool, slots }: Pools & { slots: ReadSlots }) {
  return async (
    tenant: Tenant,
    eventIds: readonly string[],
  ): Promise<{ events: EventCounts[] }> => {
    const subscriptionIds = await slots.read(tenant)(() => ownIds(pool, tenant))
    const asked = countableEvents(eventIds, subscriptionIds.length)
    const ids: string[] = []
    const share = new LoopShare()
    for (const event of asked) {
      ids.push(...subscriptionIds.map((one) => deliveryId(event, one)))
      await share.yieldWhenLong()
    }
    const { projectId, environment } = tenant
    const values = [ids, projectId, environment, firstDay(asked)]
    const { rows } = await slots.history(tenant)(() =>
      historyPool.query<EventCounts>(countSql, values),
    )
    const counted = new Map(rows.map((row) => [row.eventId, row]))
    return { events: asked.map((eventId) => counted.get(eventId) ?? { eventId, ...nothing }) }
  }
}

const nothing = { webhooks: 0, delivered: 0, pending: 0, failed: 0, cancelled: 0 }

/** Returns the first events, each once, as many as the limit of one request allows. */
export function countableEvents(eventIds: readonly string[], subscriptions: number): string[] {
  const most = Math.max(1, Math.floor(countedPairs / Math.max(1, subscriptions)))
  return [...new Set(eventIds)].slice(0, most)
}

async function ownIds(pool: Pool, { projectId, environment }: Tenant): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from subscription where project_id = $1 and environment = $2',
    [projectId, environment],
  )
  return rows.map(({ id }) => id)
}

/**
 * Returns the day before which no event has a delivery, so that PostgreSQL skips older partitions.
 * A day is left for clocks that differ. Only a UUIDv7 tells the time.
 */
function firstDay(eventIds: readonly string[]): string {
  const times = eventIds.map(timeInId)
  const oldest = Math.min(Date.now(), ...times.map((time) => time ?? Number.NEGATIVE_INFINITY))
  return oldest < dayMs ? '-infinity' : dayOf(oldest - dayMs)
}

/** A redelivery has the id of the first delivery as its `webhook_id`. */
const countSql = `with found as (
    select event_id, subscription_id, status from delivery
    where id = any($1::uuid[]) and project_id = $2 and environment = $3 and day >= $4::date
    union all
    select event_id, subscription_id, status from delivery
    where redelivery_of is not null and webhook_id = any($1::uuid[])
      and project_id = $2 and environment = $3 and day >= $4::date),
  best as (
    select event_id, min(case status
      when 'delivered' then 1 when 'dead_letter' then 3 when 'cancelled' then 4 else 2 end) as rank
    from found group by event_id, subscription_id)
  select event_id as "eventId", count(*)::integer as webhooks,
    (count(*) filter (where rank = 1))::integer as delivered,
    (count(*) filter (where rank = 2))::integer as pending,
    (count(*) filter (where rank = 3))::integer as failed,
    (count(*) filter (where rank = 4))::integer as cancelled
  from best group by event_id`
