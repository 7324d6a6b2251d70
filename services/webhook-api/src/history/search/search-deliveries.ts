import type { ChangeOperation } from '@surehook/contracts/events'
import { webhookName } from '@surehook/contracts/events/delivery-events'
import { type FoundDelivery, searchReads } from '@surehook/contracts/http/webhooks/questions'
import { decodeCursor, encodeCursor, type Page } from '@surehook/service-kit/http/cursor'
import type { Pool } from 'pg'
import type { SubscriptionRow } from '../../subscriptions/store/subscription-row.ts'
import type { ReadSlots } from '../../tenants/connection-slots.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { type FiledDelivery, Position, positionOf } from '../read/find-deliveries.ts'
import { toDelivery } from '../rows/delivery-row.ts'
import { type SearchFilters, sourceOf, statusesOf } from './search-filters.ts'
import { searchSql } from './search-sql.ts'

export type SearchQuery = SearchFilters & Page

type Row = FiledDelivery & {
  subscription_id: string
  watched_table: string | null
  operation: ChangeOperation | null
  record_id: string | null
  is_bound: boolean
}

export type SearchDeliveries = ReturnType<typeof searchDeliveries>

/**
 * The deliveries of the tenant's subscriptions, newest first. A page reads a bounded number of
 * rows.
 */
export function searchDeliveries({ pool, historyPool, slots }: Pools & { slots: ReadSlots }) {
  return async (tenant: Tenant, { limit, cursor, ...filters }: SearchQuery) => {
    const after = decodeCursor(Position, cursor)
    const names = await slots.read(tenant)(() => ownNames(pool, tenant, filters.webhookId))
    const subscriptionIds = [...names.keys()]
    if (subscriptionIds.length === 0 || statusesOf(filters).length === 0) {
      return { deliveries: [], nextCursor: null }
    }
    const source = sourceOf(filters, subscriptionIds.length)
    const reads = Math.max(searchReads, limit + 1)
    const search = { tenant, subscriptionIds, filters, source, after, limit: limit + 1, reads }
    const { sql, values } = searchSql(search)
    const { rows } = await slots.history(tenant)(() => historyPool.query<Row>(sql, values))
    return pageOf(rows, limit, (id) => names.get(id) ?? null)
  }
}

/**
 * A full page ends with its last row. A short one ends with the last row that was read, if there
 * may be more.
 */
function pageOf(rows: readonly Row[], limit: number, nameOf: NameOf) {
  const found = rows.filter((row) => !row.is_bound)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : rows.find((row) => row.is_bound)
  return {
    deliveries: page.map((row) => shown(row, nameOf)),
    nextCursor: last === undefined ? null : encodeCursor(positionOf(last)),
  }
}

function shown(row: Row, nameOf: NameOf): FoundDelivery {
  return {
    ...toDelivery(row),
    webhookId: row.subscription_id,
    webhookName: nameOf(row.subscription_id),
    table: row.watched_table,
    event: row.operation,
    recordId: row.record_id,
  }
}

type NameOf = (subscriptionId: string) => string | null

/** The names of the tenant's subscriptions, by id. */
async function ownNames(
  pool: Pool,
  tenant: Tenant,
  id: string | undefined,
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await pool.query<Pick<SubscriptionRow, 'id' | 'name' | 'key'>>(
    `select id, name, key from subscription
     where project_id = $1 and environment = $2 and ($3::uuid is null or id = $3)`,
    [tenant.projectId, tenant.environment, id ?? null],
  )
  return new Map(rows.map((row) => [row.id, webhookName(row)]))
}
