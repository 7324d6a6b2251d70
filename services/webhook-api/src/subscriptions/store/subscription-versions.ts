import type { EmitState } from '@surehook/change-capture/emit/state-writer'
import type { SubscriptionVersion } from '@surehook/contracts/events'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { keptVersions } from '@surehook/matching/index/subscription-index'
import type { Pool, PoolClient } from 'pg'
import { type SubscriptionRow, toState } from './subscription-row.ts'
import { versionsThatFit } from './versions-that-fit.ts'

/**
 * SQL expression for a position in this server's WAL, in the form of `formatWalPosition`. The name
 * of a WAL file begins with the timeline.
 */
const positionSql = (lsnSql: string) =>
  `concat_ws('/', (select system_identifier from pg_control_system()),
     left(pg_walfile_name(pg_current_wal_lsn()), 8),
     lpad(to_hex((${lsnSql} - '0/0'::pg_lsn)::bigint), 16, '0'))`

/**
 * The position of a version that an older webhook-api wrote. Without an `lsn` it has always been in
 * force. So has one whose `lsn` this server has not reached: it is of another server, from whose
 * dump the database was restored.
 */
const olderPositionSql = `case when lsn <= pg_current_wal_insert_lsn() then ${positionSql('lsn')}
  else concat_ws('/', (select system_identifier from pg_control_system()),
         repeat('0', 8), repeat('0', 16)) end`

/**
 * Emits the state of a row with its versions. Call it in the transaction that writes the row, after
 * it: the new version begins at a position behind that write.
 */
export async function emitSubscription(
  tx: PoolClient,
  emit: EmitState,
  row: SubscriptionRow,
): Promise<void> {
  await insertVersion(tx, row)
  const versions = versionsThatFit(await findVersions(tx, row.id))
  await emit({ topic: subscriptionsTopic, key: row.id, state: { ...toState(row), versions } })
}

/** If the newest version matches the same changes, it goes on. */
async function insertVersion(tx: PoolClient, row: SubscriptionRow): Promise<void> {
  const { active, watched_table: table, events, filter, selected } = row
  await tx.query(
    `insert into subscription_version
       (subscription_id, valid_from, wal_position, active, watched_table, events, filter, selected)
     select $1::uuid, $2::timestamptz, ${positionSql('pg_current_wal_insert_lsn()')}, $3::boolean,
            $4::text, $5::text[], $6::text, $7::text[]
     where not exists (
       select from (
         select * from subscription_version
         where subscription_id = $1 order by number desc limit 1) as newest
       where (active, watched_table, events, filter) is not distinct from ($3, $4, $5, $6)
         and (wal_position is null or selected is not distinct from $7))`,
    [row.id, row.updated_at, active, table, events, filter, selected],
  )
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

/** Completes the versions that an older webhook-api wrote. It did not store their selection. */
export async function completeVersions(tx: PoolClient, row: SubscriptionRow): Promise<void> {
  await tx.query(
    `update subscription_version set wal_position = ${olderPositionSql}, selected = $2
     where subscription_id = $1 and wal_position is null`,
    [row.id, row.selected],
  )
}

export async function deleteVersions(db: Pool | PoolClient, subscriptionId: string): Promise<void> {
  await db.query('delete from subscription_version where subscription_id = $1', [subscriptionId])
}

/** Returns the deleted subscriptions whose versions are kept. */
export async function subscriptionsWithVersionsOnly(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct subscription_id as id from subscription_version
     where not exists (select from subscription where id = subscription_id)`,
  )
  return rows.map(({ id }) => id)
}

type Row = Omit<SubscriptionVersion, 'updatedAt'> & { id: string; validFrom: Date }

/** Oldest first. */
export async function findVersions(
  db: Pool | PoolClient,
  subscriptionId: string,
): Promise<SubscriptionVersion[]> {
  return (await findVersionsOfAll(db, [subscriptionId])).get(subscriptionId) ?? []
}

/** By subscription, the oldest first. */
export async function findVersionsOfAll(
  db: Pool | PoolClient,
  subscriptionIds: readonly string[],
): Promise<ReadonlyMap<string, SubscriptionVersion[]>> {
  const { rows } = await db.query<Row>(
    `select subscription_id as id, valid_from as "validFrom", version.active,
            coalesce(wal_position, ${olderPositionSql}) as "walPosition",
            version.watched_table as "table", version.events, version.filter,
            case when wal_position is null then subscription.selected
                 else version.selected end as "select"
     from subscription_version version join subscription on subscription.id = subscription_id
     where subscription_id = any($1::uuid[]) order by number`,
    [subscriptionIds],
  )
  const versions = new Map<string, SubscriptionVersion[]>()
  for (const { id, validFrom, ...rest } of rows) {
    const version = { ...rest, updatedAt: validFrom.toISOString() }
    const known = versions.get(id)
    if (known === undefined) versions.set(id, [version])
    else known.push(version)
  }
  return versions
}
