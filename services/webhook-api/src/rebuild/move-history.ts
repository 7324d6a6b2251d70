import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
import { countedBits } from '../history/rows/counted-attempts.ts'
import {
  createDeliveryDays,
  type DeliveryDays,
  dayOf,
  dayTable,
} from '../history/rows/delivery-days.ts'
import { addRowsSql } from '../history/stats/stats-store.ts'
import { columnNames, mergeDelivery } from '../history/write/upsert-deliveries.ts'
import { runBackgroundWork } from '../jobs/background-work.ts'
import type { Pools } from '../tenants/open-database.ts'
import { endOlderRebuild, hasOlderRows, OlderVersions, wasRebuilding } from './older-versions.ts'
import { askRebuild } from './rebuild-store.ts'

/** Older replicas write into the older tables until all are replaced. */
const lookEveryMs = 60_000
const retryMs = 2_000
const dayMs = 86_400_000
/** The rows of one transaction: about a megabyte of JSON. */
const rowsAtOnce = 500
/** The longest time that older replicas wait behind the lock request for an empty day. */
const lockTimeoutMs = 200

/**
 * Moves the history out of the database of subscriptions, where earlier versions had it, the newest
 * days first. Meanwhile the delivery log writes the new tables, so a moved row is merged into the
 * row of the same delivery. All replicas may work at once, and a crash loses and repeats nothing.
 */
export function runHistoryMove({ pool, historyPool, log }: Pools & { log: Logger }) {
  const mover = new HistoryMover({ pool, historyPool })
  return runBackgroundWork({
    async work(signal) {
      for (const table of await olderTables(pool)) {
        const rows = await mover.moveAll(table, signal)
        if (rows > 0) log.info({ table, rows }, 'history.moved')
        if (signal.aborted) return 0
      }
      await endMove({ pool, historyPool })
      return lookEveryMs
    },
    onFailure: (err) => log.warn({ err }, 'history.move_failed'),
    retryMs,
  })
}

/** The tables with rows: the days, newest first, and the statistics. */
async function olderTables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
     where inhparent = to_regclass($1) order by relname desc`,
    [dayTable],
  )
  // A later version drops all of them.
  if ((await pool.query('select where to_regclass($1) is null', [dayTable])).rowCount === 1)
    return []
  return [...rows.map(({ name }) => name), ...addRowsSql.keys()]
}

type Batch = { rows: number; last: string | null; days: string[] | null; json: string | null }

export class HistoryMover {
  readonly #pools: Pools
  readonly #olderVersions: OlderVersions
  readonly #days: DeliveryDays

  constructor(pools: Pools) {
    this.#pools = pools
    this.#olderVersions = new OlderVersions(pools.pool)
    this.#days = createDeliveryDays(pools.historyPool)
  }

  /** @returns how many rows it has moved */
  async moveAll(table: string, signal: AbortSignal): Promise<number> {
    let [moved, after] = [0, '(0,0)']
    while (!signal.aborted && (await this.#olderVersions.hold())) {
      const begunAt = performance.now()
      const { rows, last } = await this.#moveBatch(table, after)
      moved += rows
      if (rows === 0) break
      after = last ?? after
      // Readers of the WAL keep up with the deletions.
      await sleep(performance.now() - begunAt)
    }
    if (isOver(table, Date.now())) await dropIfEmpty(this.#pools.pool, table)
    return moved
  }

  /**
   * Commits the rows in the history database first, then their deletion. After a crash in between,
   * the same rows are moved again.
   */
  async #moveBatch(table: string, after: string): Promise<Batch> {
    const { pool, historyPool } = this.#pools
    let digests: string[] = []
    const batch = await inTransaction(pool, async (from) => {
      const taken = await takeRows(from, table, after)
      const { json, rows } = taken
      if (json === null) return taken
      const addSql = addRowsSql.get(table)
      if (addSql === undefined) await this.#days.ensure(taken.days ?? [])
      await inTransaction(historyPool, async (to) => {
        if (addSql === undefined) await to.query(mergeSql, [json])
        else digests = await addNewRows(to, { table, addSql, json })
        await to.query(`update history_rebuild set records = records + $1 where state = 'moving'`, [
          rows,
        ])
      })
      return taken
    })
    // They do not come again.
    if (digests.length > 0)
      await historyPool.query('delete from moved_statistics where digest = any($1)', [digests])
    return batch
  }
}

/** Deletes the next rows of the table. Rows that another replica moves are left out. */
async function takeRows(from: PoolClient, table: string, after: string): Promise<Batch> {
  const days = addRowsSql.has(table) ? 'null' : 'array_agg(distinct day::text)'
  const { rows } = await from.query<Batch>(
    `with moved as (
       delete from ${table} where ctid = any(array(
         select ctid from ${table} where ctid > $1::tid limit ${rowsAtOnce} for update skip locked))
       returning ctid as place, xmin::text as version, *)
     select count(*)::integer as rows, max(place)::text as last, ${days} as days,
       json_agg(moved)::text as json
     from moved`,
    [after],
  )
  if (rows[0] === undefined) throw new Error('an aggregate has one row')
  return rows[0]
}

const mergeSql = `
  insert into ${dayTable} as d (${columnNames})
  select ${columnNames.replace(/\bcounted\b/, `counted & ${countedBits}`)}
  from json_populate_recordset(null::${dayTable}, $1::json) ${mergeDelivery}`

/**
 * Adds statistics, without those that were added before a crash. An older replica may have added to
 * one of the same batch meanwhile, so each has a digest.
 * @returns the digests of all
 */
async function addNewRows(
  to: PoolClient,
  { table, addSql, json }: { table: string; addSql: string; json: string },
): Promise<string[]> {
  const { rows } = await to.query<{ digests: string[]; added: string | null }>(
    `with batch as (
       select value, encode(sha256(convert_to($1::text || value::text, 'UTF8')), 'hex') as digest
       from json_array_elements($2::json)),
     added as (
       insert into moved_statistics (digest) select digest from batch
       on conflict do nothing returning digest)
     select (select array_agg(digest) from batch) as digests,
       (select json_agg(value)::text from batch join added using (digest)) as added`,
    [table, json],
  )
  if (rows[0] === undefined) throw new Error('an aggregate has one row')
  const { digests, added } = rows[0]
  if (added !== null) await to.query(addSql, [added])
  return digests
}

/** True for a day that is over for every clock: older replicas insert their own jobs into today's. */
const isOver = (table: string, now: number): boolean =>
  !addRowsSql.has(table) && table.slice(-8) < dayOf(now - dayMs).replaceAll('-', '')

async function dropIfEmpty(pool: Pool, day: string): Promise<void> {
  try {
    await inTransaction(
      pool,
      async (tx) => {
        await tx.query(`lock table ${day} in access exclusive mode`)
        const { rowCount } = await tx.query(`select from ${day} limit 1`)
        if (rowCount === 0) await tx.query(`drop table ${day}`)
      },
      { lockTimeoutMs },
    )
  } catch (err) {
    // lock_not_available, undefined_table, deadlock_detected: the next look finds it, if it is left.
    if (!/^(?:55P03|42P01|40P01)$/.test(sqlStateOf(err) ?? '')) throw err
  }
}

/**
 * From then on the history counts as complete, unless an older version was rebuilding it: then it is
 * rebuilt here.
 */
async function endMove({ pool, historyPool }: Pools): Promise<void> {
  const [isOlder] = await olderTables(pool)
  if (isOlder !== undefined && (await hasOlderRows(pool))) return
  const isUnread = isOlder !== undefined && (await wasRebuilding(pool))
  if (!isUnread) {
    await historyPool.query(`delete from history_rebuild where state = 'moving'`)
    return
  }
  await historyPool.query(
    `update history_rebuild set state = 'asked', records = 0 where state = 'moving'`,
  )
  await askRebuild(historyPool)
  await endOlderRebuild(pool)
}
