import type { ChangeEvent } from '@surehook/contracts/events'
import { webhookName } from '@surehook/contracts/events/delivery-events'
import {
  type EventDetail,
  type EventOutcome,
  explainedSubscriptions,
  type FoundDelivery,
} from '@surehook/contracts/http/webhooks/questions'
import type { Change } from '@surehook/matching/read-change'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { SearchDeliveries } from '../../history/search/search-deliveries.ts'
import { isUuid } from '../../subscriptions/store/find-own.ts'
import type { SubscriptionRow } from '../../subscriptions/store/subscription-row.ts'
import { findVersionsOfAll } from '../../subscriptions/store/subscription-versions.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import {
  changeVerdict,
  deliveryVerdict,
  type ExplainDeps,
  findChange,
  type NoChange,
  unknownVerdict,
} from '../explain/explain.ts'

export type ShowEventDeps = ExplainDeps & { search: SearchDeliveries }

/** The most deliveries of one event that are read: one per subscription, and redeliveries. */
const mostDeliveries = 1_000

/** Shows one change, and its outcome at each subscription of its table. */
export function createShowEvent(deps: ShowEventDeps) {
  return async (
    tenant: Tenant,
    id: string,
    { timestamp }: { timestamp?: Date | undefined },
  ): Promise<EventDetail> => {
    if (!isUuid(id)) throw noEvent()
    const eventId = id.toLowerCase()
    const deliveries = await deliveriesOf(deps, tenant, eventId)
    const change = await findChange(deps, tenant, { eventId, timestamp })
    const isKnown = typeof change !== 'string' || deliveries.length > 0
    if (!isKnown) throw noEvent()
    const what = whatChanged(change, deliveries)
    return deps.slots.read(tenant)(async () => {
      const { rows, leftOut } = await subscriptionsOf(deps.pool, tenant, { ...what, deliveries })
      const webhooks = await outcomesOf(deps.pool, { rows, deliveries, change })
      return { eventId, ...what, webhooks, webhooksLeftOut: leftOut }
    })
  }
}

const noEvent = () => new AppError('EVENT_NOT_FOUND', 'There is no such change')

async function deliveriesOf(
  { search }: ShowEventDeps,
  tenant: Tenant,
  eventId: string,
): Promise<FoundDelivery[]> {
  const found = await search(tenant, { eventId, limit: mostDeliveries })
  if (found.deliveries.length > 0) return found.deliveries
  // A publisher may write its ids in upper case. The history then has them in upper case too.
  return (await search(tenant, { eventId: eventId.toUpperCase(), limit: mostDeliveries }))
    .deliveries
}

type What = Pick<
  EventDetail,
  'table' | 'event' | 'recordId' | 'timestamp' | 'record' | 'changedFields'
>

/** Returns the change from the log; without it, the fields that the history has. */
function whatChanged(change: Change | NoChange, deliveries: readonly FoundDelivery[]): What {
  if (typeof change !== 'string') return ofEvent(change.event, change.record)
  // Some deliveries may have no table yet, because their job was not read yet.
  const known = deliveries.find(({ table }) => table !== null)
  return {
    table: known?.table ?? null,
    event: known?.event ?? null,
    recordId: known?.recordId ?? null,
    timestamp: null,
    record: null,
    changedFields: null,
  }
}

function ofEvent(event: ChangeEvent, record: Change['record']): What {
  return {
    table: event.table,
    event: event.operation,
    recordId: event.recordId,
    timestamp: new Date(event.timestamp).toISOString(),
    record,
    changedFields: event.changedFields,
  }
}

/** Reads the subscriptions of the table, and those with a delivery that have another table now. */
async function subscriptionsOf(
  pool: Pool,
  tenant: Tenant,
  { table, deliveries }: { table: string | null; deliveries: readonly FoundDelivery[] },
): Promise<{ rows: SubscriptionRow[]; leftOut: number }> {
  const { rows } = await pool.query<SubscriptionRow & { of_all: number }>(
    `select *, (count(*) over ())::integer as of_all from subscription
     where project_id = $1 and environment = $2
       and (watched_table = $3 or id = any($4::uuid[]))
     order by (id = any($4::uuid[])) desc, created_at desc, id desc limit $5`,
    [
      tenant.projectId,
      tenant.environment,
      table,
      deliveries.map(({ webhookId }) => webhookId),
      explainedSubscriptions,
    ],
  )
  return { rows, leftOut: (rows[0]?.of_all ?? 0) - rows.length }
}

async function outcomesOf(
  pool: Pool,
  found: {
    rows: readonly SubscriptionRow[]
    deliveries: readonly FoundDelivery[]
    change: Change | NoChange
  },
): Promise<EventOutcome[]> {
  const { rows, change } = found
  const byWebhook = Map.groupBy(found.deliveries, ({ webhookId }) => webhookId)
  const unsent = rows.filter(({ id }) => !byWebhook.has(id))
  const versions = await findVersionsOfAll(
    pool,
    unsent.map(({ id }) => id),
  )
  const verdictOf = (row: SubscriptionRow) => {
    const deliveries = byWebhook.get(row.id)
    if (deliveries !== undefined) return deliveryVerdict(mostInformative(deliveries))
    if (typeof change === 'string') return unknownVerdict(change)
    return changeVerdict(change, row, versions.get(row.id) ?? [])
  }
  return rows.map((row) => {
    const verdict = verdictOf(row)
    const known = { webhookId: row.id, webhookName: webhookName(row) }
    return { ...known, delivered: verdict.outcome === 'delivered', ...verdict }
  })
}

/** Picks one that arrived, otherwise the original delivery rather than a redelivery. */
function mostInformative(deliveries: readonly FoundDelivery[]): FoundDelivery {
  const best =
    deliveries.find(({ status }) => status === 'delivered') ??
    deliveries.find(({ redeliveryOf }) => redeliveryOf === null) ??
    deliveries[0]
  if (best === undefined) throw new Error('no group is empty')
  return best
}
