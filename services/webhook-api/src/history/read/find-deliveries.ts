import { type DeliveryStatus, deliveryStatuses } from '@surehook/contracts/events'
import { deliveryId } from '@surehook/contracts/ids'
import { CursorTime } from '@surehook/service-kit/http/cursor'
import type { Pool } from 'pg'
import * as z from 'zod'
import { dayOf } from '../rows/delivery-days.ts'
import { type DeliveryRow, shownColumns } from '../rows/delivery-row.ts'

export type DeliveryQuery = {
  subscriptionId: string
  status?: DeliveryStatus | undefined
  eventId?: string | undefined
  since?: Date | undefined
  /**
   * Returns only deliveries after this position. `day` is set if it differs from the day of
   * `createdAt`.
   */
  after?: readonly [createdAt: string, id: string, day?: string | undefined] | null
  limit: number
}

/** A delivery with the day of its partition. */
export type FiledDelivery = DeliveryRow & { filed_on: string }

/** The position in a cursor. */
export const Position = z.tuple([CursorTime, z.uuid(), z.iso.date().optional()])

/** Returns the position after a page that ends with this row. */
export function positionOf({
  created_at,
  id,
  filed_on,
}: Pick<FiledDelivery, 'created_at' | 'id' | 'filed_on'>) {
  return filed_on === dayOf(created_at.getTime()) ? [created_at, id] : [created_at, id, filed_on]
}

/**
 * Returns deliveries, newest first. The order starts with the day, so that PostgreSQL opens only
 * the partitions it needs.
 */
export async function findDeliveries(pool: Pool, query: DeliveryQuery): Promise<FiledDelivery[]> {
  const values: unknown[] = []
  const value: Value = (given) => `$${values.push(given)}`
  const sql = query.eventId === undefined ? listSql(query, value) : eventSql(query, value)
  return (await pool.query<FiledDelivery>(sql, values)).rows
}

/** Adds a parameter and returns its placeholder. */
type Value = (given: unknown) => string

/** Reads each status through the index that begins with it, and then returns the newest of all. */
function listSql(query: DeliveryQuery, value: Value): string {
  const { subscriptionId, status } = query
  const where = [
    `subscription_id = ${value(subscriptionId)}`,
    'd.status = wanted.one',
    ...spanSql(query, value),
  ]
  const statuses = value(status === undefined ? deliveryStatuses : [status])
  const page = pageSql(query, value)
  return `select ${shownColumns}, day::text as filed_on
    from unnest(${statuses}::text[]) wanted (one),
      lateral (select day, ${columnsOf('d')} from delivery d where ${where.join(' and ')} ${page}) found
    ${page}`
}

/** Finds the few deliveries of an event first: reading the whole history in order would be slow. */
function eventSql(query: DeliveryQuery, value: Value): string {
  const { subscriptionId, eventId = '', status } = query
  const id = value(deliveryId(eventId, subscriptionId))
  const own = `subscription_id = ${value(subscriptionId)} and event_id = ${value(eventId)}`
  const rest = spanSql(query, value)
  if (status !== undefined) rest.push(`status = ${value(status)}`)
  const where = rest.length === 0 ? '' : `where ${rest.join(' and ')}`
  return `with found as materialized (
      select day, ${shownColumns} from delivery where id = ${id} and ${own}
      union all
      select day, ${shownColumns} from delivery
      where redelivery_of is not null and webhook_id = ${id} and id <> ${id} and ${own})
    select ${shownColumns}, day::text as filed_on from found ${where} ${pageSql(query, value)}`
}

function spanSql({ since, after }: DeliveryQuery, value: Value): string[] {
  const span: string[] = []
  if (since !== undefined) {
    span.push(`day >= ${value(dayOf(since.getTime()))}::date and created_at >= ${value(since)}`)
  }
  if (after) {
    const day = `${value(after[2] ?? dayOf(Date.parse(after[0])))}::date`
    // A separate condition on the day prunes partitions; the row comparison does not.
    span.push(`day <= ${day}`)
    span.push(`(day, created_at, id) < (${day}, ${value(after[0])}, ${value(after[1])}::uuid)`)
  }
  return span
}

const pageSql = ({ limit }: DeliveryQuery, value: Value) =>
  `order by day desc, created_at desc, id desc limit ${value(limit)}`

const columnsOf = (table: string) =>
  shownColumns
    .split(', ')
    .map((name) => `${table}.${name}`)
    .join(', ')
