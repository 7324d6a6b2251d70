import { deliveryId } from '@surehook/contracts/ids'
import type { Tenant } from '../../tenants/tenant.ts'
import { dayOf, dayTable } from '../rows/delivery-days.ts'
import { shownColumns } from '../rows/delivery-row.ts'
import { ofTenantSql } from '../rows/of-tenant-sql.ts'
import { type SearchFilters, type Source, statusesOf } from './search-filters.ts'

export type Search = {
  tenant: Tenant
  /** The tenant's subscriptions that the search covers. */
  subscriptionIds: readonly string[]
  filters: SearchFilters
  source: Source
  after: readonly [createdAt: string, id: string, day?: string | undefined] | null
  /** The most rows of the answer. */
  limit: number
  /** The most rows that are read. */
  reads: number
}

/** Adds a parameter and returns its placeholder. */
type Value = (given: unknown) => string

const columns = `day, ${shownColumns}, subscription_id, watched_table, operation, record_id`
const order = 'day desc, created_at desc, id desc'

/**
 * Selects the newest deliveries that match. If the search did not read to the end, a last row with
 * `is_bound` marks the last row read. All rows are of one snapshot, so the next page continues
 * right behind.
 */
export function searchSql(search: Search): { sql: string; values: unknown[] } {
  const values: unknown[] = []
  const value: Value = (given) => `$${values.push(given)}`
  const found = foundSql(search, value)
  const select = `select ${columns}, day::text as filed_on`
  return {
    sql: `with ${found} ${select}, is_bound from result order by is_bound, ${order}`,
    values,
  }
}

function foundSql(search: Search, value: Value): string {
  switch (search.source) {
    case 'delivery':
      return exactSql(deliverySql(search, value), search, value)
    case 'event':
      return exactSql(eventSql(search, value), search, value)
    case 'probes':
      return exactSql(probesSql(search, value), search, value)
    case 'record':
    case 'undelivered':
    case 'tenant':
      return walkSql(search, value)
  }
}

const exactSql = (rows: string, search: Search, value: Value) =>
  `result as (
    select ${columns}, false as is_bound from (${rows}) rows ${whereSql(search, value)}
    order by ${order} limit ${value(search.limit)})`

/** Reads `reads` rows in order, and no more, even if few match. */
function walkSql(search: Search, value: Value): string {
  const walked = readSql(search, { place: placeSql(search, value), most: search.reads }, value)
  const limit = value(search.limit)
  return `found as materialized (
      select ${columns} from (${walked}) walked
      ${whereSql(search, value)} order by ${order} limit ${limit}),
    result as (
      select ${columns}, false as is_bound from found
      union all
      select ${columns}, true
      from (select * from (${walked}) walked order by ${order}
        offset ${value(search.reads - 1)} limit 1) bound
      where (select count(*) from found) < ${limit})`
}

function placeSql({ tenant, filters, source }: Search, value: Value): string {
  const { projectId, environment } = tenant
  const [project, name] = [value(projectId), value(environment)]
  if (source === 'record') {
    const own = `project_id = ${project} and environment = ${name}`
    return `record_id = ${value(filters.recordId)} and ${own}`
  }
  const open = source === 'undelivered' ? ` and status <> 'delivered'` : ''
  return `${ofTenantSql(project, name)}${open}`
}

/**
 * The id of a delivery derives from the event's id. A redelivery has the id of the first delivery
 * as its `webhook_id`.
 */
function eventSql({ subscriptionIds, filters, ...search }: Search, value: Value): string {
  const { eventId = '' } = filters
  const ids = value(subscriptionIds.map((id) => deliveryId(eventId, id)))
  const { until } = filters
  const early = until === undefined ? '' : `and created_at < ${value(until)}`
  const own = `event_id = ${value(eventId)} ${spanSql({ ...search, filters }, value)} ${early}`
  return `select ${columns} from delivery where id = any(${ids}::uuid[]) and ${own}
    union all
    select ${columns} from delivery where redelivery_of is not null
      and webhook_id = any(${ids}::uuid[]) and id <> all(${ids}::uuid[]) and ${own}`
}

function deliverySql({ filters, ...search }: Search, value: Value): string {
  const { deliveryId: id, until } = filters
  const early = until === undefined ? '' : `and created_at < ${value(until)}`
  const span = spanSql({ ...search, filters }, value)
  return `select ${columns} from delivery where id = ${value(id)}::uuid ${span} ${early}`
}

function probesSql(search: Search, value: Value): string {
  const { subscriptionIds, filters, limit } = search
  const place = 'subscription_id = subscription.one and status = state.one'
  return `select found.* from unnest(${value(subscriptionIds)}::uuid[]) subscription (one),
      unnest(${value(statusesOf(filters))}::text[]) state (one),
      lateral (${readSql(search, { place, most: limit }, value)}) found`
}

function whereSql({ subscriptionIds, filters }: Search, value: Value): string {
  const { table, eventId, recordId, httpStatus, errorClass } = filters
  const conditions = [
    `subscription_id = any(${value(subscriptionIds)}::uuid[])`,
    `status = any(${value(statusesOf(filters))}::text[])`,
  ]
  if (table !== undefined) conditions.push(`watched_table = ${value(table)}`)
  if (eventId !== undefined) conditions.push(`event_id = ${value(eventId)}`)
  if (recordId !== undefined) conditions.push(`record_id = ${value(recordId)}`)
  if (httpStatus !== undefined) conditions.push(`http_status = ${value(httpStatus)}`)
  if (errorClass !== undefined) conditions.push(`last_error = ${value(errorClass)}`)
  return `where ${conditions.join(' and ')}`
}

type Read = { place: string; most: number }

/** Reads the newest rows of a place that were made before `until`, which an index finds in order. */
function readSql(search: Search, { place, most }: Read, value: Value): string {
  const { until } = search.filters
  const span = spanSql(search, value)
  const limit = value(most)
  const read = (made: string) =>
    `select ${columns} from delivery where ${place} ${span} ${made} order by ${order} limit ${limit}`
  if (until === undefined) return read('')
  const [day, at] = [`${value(dayOf(until.getTime()))}::date`, value(until)]
  // The index scan then begins at `until`, and not at the end of its day.
  const start = search.after ? '' : `and (day, created_at) < (${day}, ${at})`
  return `select ${columns} from (
      (${read(`and day <= ${day} and created_at < ${at} ${start}`)})
      union all
      select late.* from (${days}) later (one),
        lateral (${read(`and day = later.one and created_at < ${at}`)}) late
      where later.one > ${day}) filed
    order by ${order} limit ${limit}`
}

/** Deliveries that are filed late may have any later day. One by one, the index finds them. */
const days = `select to_date(right(relname, 8), 'YYYYMMDD')
  from pg_inherits join pg_class on oid = inhrelid where inhparent = '${dayTable}'::regclass`

/** The condition on `day` alone lets PostgreSQL skip partitions. A row comparison does not. */
function spanSql({ filters, after }: Pick<Search, 'filters' | 'after'>, value: Value): string {
  const { since } = filters
  const span: string[] = []
  if (since !== undefined) {
    span.push(`day >= ${value(dayOf(since.getTime()))}::date and created_at >= ${value(since)}`)
  }
  if (after) {
    const day = `${value(after[2] ?? dayOf(Date.parse(after[0])))}::date`
    span.push(`day <= ${day}`)
    span.push(`(day, created_at, id) < (${day}, ${value(after[0])}, ${value(after[1])}::uuid)`)
  }
  return span.map((condition) => `and ${condition}`).join(' ')
}
