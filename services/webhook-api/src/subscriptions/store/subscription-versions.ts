import { parseLsn } from '@surehook/change-capture/slot/lsn'
import type { SubscriptionState } from '@surehook/contracts/events'
import { keptVersions } from '@surehook/matching/index/subscription-index'
import type { Pool, PoolClient } from 'pg'
import type { SubscriptionRow } from './subscription-row.ts'

/** The matching criteria of a subscription from some moment on. */
export type SubscriptionVersion = Pick<SubscriptionState, 'table' | 'events' | 'filter'> & {
  active: boolean
  validFrom: Date
  /** The WAL position; `null` if it is unknown. */
  position: { systemId: string; lsn: bigint } | null
}

/**
 * Call it in the transaction that writes the row. If the newest version has the same criteria, it
 * goes on, as in the matcher.
 */
export async function insertVersion(tx: PoolClient, row: SubscriptionRow): Promise<void> {
  await tx.query(
    `insert into subscription_version
       (subscription_id, valid_from, lsn, active, watched_table, events, filter)
     select $1::uuid, $2::timestamptz, pg_current_wal_insert_lsn(), $3::boolean, $4::text,
            $5::text[], $6::text
     where not exists (
       select from (
         select active, watched_table, events, filter from subscription_version
         where subscription_id = $1 order by number desc limit 1) as newest
       where (active, watched_table, events, filter)
         is not distinct from ($3, $4, $5, $6))`,
    [row.id, row.updated_at, row.active, row.watched_table, row.events, row.filter],
  )
  // Keeps as many versions as the matcher, which used no others.
  await tx.query(
    `delete from subscription_version where subscription_id = $1 and number in (
       select number from (
         select number, row_number() over (order by number desc) as age,
                lead(valid_from) over (order by number) as replaced_at
         from subscription_version where subscription_id = $1) as version
       where age > $2 or replaced_at < $3::timestamptz - $4 * interval '1 ms')`,
    [row.id, keptVersions.perSubscription, row.updated_at, keptVersions.forMs],
  )
}

export async function deleteVersions(tx: PoolClient, subscriptionId: string): Promise<void> {
  await tx.query('delete from subscription_version where subscription_id = $1', [subscriptionId])
}

type Row = Omit<SubscriptionVersion, 'position'> & {
  id: string
  lsn: string | null
  systemId: string
}

/** Oldest first. */
export async function findVersions(
  pool: Pool,
  subscriptionId: string,
): Promise<SubscriptionVersion[]> {
  return (await findVersionsOfAll(pool, [subscriptionId])).get(subscriptionId) ?? []
}

/** By subscription, the oldest first. */
export async function findVersionsOfAll(
  pool: Pool,
  subscriptionIds: readonly string[],
): Promise<ReadonlyMap<string, SubscriptionVersion[]>> {
  const { rows } = await pool.query<Row>(
    `select subscription_id as id, valid_from as "validFrom", lsn::text, active,
            watched_table as "table", events, filter,
            (select system_identifier::text from pg_control_system()) as "systemId"
     from subscription_version where subscription_id = any($1::uuid[]) order by number`,
    [subscriptionIds],
  )
  const versions = new Map<string, SubscriptionVersion[]>()
  for (const { id, lsn, systemId, ...version } of rows) {
    const position = lsn === null ? null : { systemId, lsn: parseLsn(lsn) }
    const known = versions.get(id)
    if (known === undefined) versions.set(id, [{ ...version, position }])
    else known.push({ ...version, position })
  }
  return versions
}
