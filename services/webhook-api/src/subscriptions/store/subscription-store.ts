import type { Cancellation } from '@surehook/contracts/events'
import {
  columnParameter,
  subscriptionColumns,
} from '@surehook/contracts/events/subscription-columns'
import { AppError } from '@surehook/service-kit/errors'
import { CursorTime } from '@surehook/service-kit/http/cursor'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import * as z from 'zod'
import type { Tenant } from '../../tenants/tenant.ts'
import type { SubscriptionRow } from './subscription-row.ts'

/** `cancellations` has a statement of its own: other changes of the row leave it. */
const { cancellations: _, ...changedTogether } = subscriptionColumns
const columns = [...Object.values(changedTogether), 'disabled_at', 'disabled_reason'] as const
const parameters = columns.map((_column, index) => `$${index + 1}`)

const insert = `insert into subscription (${columns.join(', ')}) values (${parameters.join(', ')})`

const update = `update subscription set (${columns.join(', ')}) = row (${parameters.join(', ')}) where id = $1`

/** Rejects with CONFLICT if another subscription has its key. */
export const insertSubscription = (client: PoolClient, row: SubscriptionRow): Promise<void> =>
  keyed(client, row, insert)

/** Rejects with CONFLICT if another subscription has its key. */
export const updateSubscription = (client: PoolClient, row: SubscriptionRow): Promise<void> =>
  keyed(client, row, update)

async function keyed(client: PoolClient, row: SubscriptionRow, sql: string): Promise<void> {
  try {
    const values = columns.map((column) => columnParameter(column, row[column]))
    await client.query(sql, values)
  } catch (err) {
    if (!(err instanceof DatabaseError && err.constraint === 'subscription_key')) throw err
    throw new AppError('CONFLICT', `Another subscription has the key "${row.key}"`)
  }
}

export async function updateCancellations(
  client: PoolClient,
  id: string,
  cancellations: readonly Cancellation[],
): Promise<void> {
  await client.query(`update subscription set cancellations = $2 where id = $1`, [
    id,
    JSON.stringify(cancellations),
  ])
}

/** Locks the row until the transaction ends, so that no simultaneous change is lost. */
export async function lockSubscription(
  client: PoolClient,
  id: string,
  tenant: Tenant,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await client.query<SubscriptionRow>(
    `select * from subscription where id = $1 and project_id = $2 and environment = $3 for update`,
    [id, tenant.projectId, tenant.environment],
  )
  return rows[0]
}

/** Like `lockSubscription`, for work that belongs to no tenant. */
export async function lockAnySubscription(
  tx: PoolClient,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await tx.query<SubscriptionRow>(
    'select * from subscription where id = $1 for update',
    [id],
  )
  return rows[0]
}

export async function deleteSubscription(client: PoolClient, id: string): Promise<void> {
  await client.query('delete from subscription where id = $1', [id])
}

/**
 * Counts the tenant's subscriptions, and blocks other creations of the tenant until the transaction
 * ends.
 */
export async function countSubscriptions(client: PoolClient, tenant: Tenant): Promise<number> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `subscriptions of ${tenant.projectId}/${tenant.environment}`,
  ])
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from subscription where project_id = $1 and environment = $2`,
    [tenant.projectId, tenant.environment],
  )
  return rows[0]?.count ?? 0
}

export async function findSubscription(
  pool: Pool,
  id: string,
  tenant: Tenant,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await pool.query<SubscriptionRow>(
    `select * from subscription where id = $1 and project_id = $2 and environment = $3`,
    [id, tenant.projectId, tenant.environment],
  )
  return rows[0]
}

type FilterRow = Pick<
  SubscriptionRow,
  'id' | 'project_id' | 'environment' | 'watched_table' | 'filter'
>

/** Returns the subscriptions to a table that have a filter. */
export async function findFilters(
  pool: Pool,
  { projectId, environment, table }: Tenant & { table: string },
): Promise<FilterRow[]> {
  const { rows } = await pool.query<FilterRow>(
    `select id, project_id, environment, watched_table, filter from subscription
     where project_id = $1 and environment = $2 and watched_table = $3 and filter is not null`,
    [projectId, environment, table],
  )
  return rows
}

/** Returns the tables that subscriptions with a filter watch, for all tenants. */
export async function findFilteredTables(pool: Pool): Promise<(Tenant & { table: string })[]> {
  const { rows } = await pool.query<Tenant & { table: string }>(
    `select distinct project_id as "projectId", environment, watched_table as "table"
     from subscription where filter is not null`,
  )
  return rows
}

/** Where a page of subscriptions ends. */
export const SubscriptionPosition = z.tuple([CursorTime, z.uuid()])
export const positionOf = (row: SubscriptionRow) => [row.created_at, row.id]

export type SubscriptionQuery = {
  table?: string | undefined
  active?: boolean | undefined
  /** A part of the name, key or URL. */
  search?: string | undefined
  /** Returns only subscriptions that are older than this position. */
  after: readonly [createdAt: string, id: string] | null
  limit: number
}

export async function findSubscriptions(
  pool: Pool,
  tenant: Tenant,
  { table, active, search, after, limit }: SubscriptionQuery,
): Promise<SubscriptionRow[]> {
  const { rows } = await pool.query<SubscriptionRow>(
    `select * from subscription
     where project_id = $1 and environment = $2
       and ($3::text is null or watched_table = $3)
       and ($4::boolean is null or active = $4)
       and ($5::timestamptz is null or (created_at, id) < ($5, $6::uuid))
       and ($8::text is null
         or strpos(lower(concat_ws(E'\\n', name, key, url)), lower($8)) > 0)
     order by created_at desc, id desc limit $7`,
    [
      tenant.projectId,
      tenant.environment,
      table ?? null,
      active ?? null,
      after?.[0] ?? null,
      after?.[1] ?? null,
      limit,
      search ?? null,
    ],
  )
  return rows
}
