import { createHash } from 'node:crypto'
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
  readonly #days: DeliveryDays

  constructor(pools: Pools) {
    this.#pools = pools
    this.#days = createDeliveryDays(pools.historyPool)
  }

  /** @returns how many rows it has moved */
  async moveAll(table: string, signal: AbortSignal): Promise<number> {
    let [moved, after] = [0, '(0,0)']
    while (!signal.aborted) {
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
  #moveBatch(table: string, after: string): Promise<Batch> {
    const { pool, historyPool } = this.#pools
    return inTransaction(pool, async (from) => {
      const batch = await takeRows(from, table, after)
      if (batch.json === null) return batch
      const { json } = batch
      const addSql = addRowsSql.get(table)
      if (addSql === undefined) await this.#days.ensure(batch.days ?? [])
      await inTransaction(historyPool, async (to) => {
        if (addSql === undefined) await to.query(mergeSql, [json])
        else if (await isNew(to, json)) await to.query(addSql, [json])
        await to.query(`update history_rebuild set records = records + $1 where state = 'moving'`, [
          batch.rows,
        ])
      })
      return batch
    })
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

/** Returns whether these statistics were not added before a crash. */
async function isNew(to: PoolClient, json: string): Promise<boolean> {
  const digest = createHash('sha256').update(json).digest('hex')
  const { rowCount } = await to.query(
    'insert into moved_statistics (digest) values ($1) on conflict do nothing',
    [digest],
  )
  return rowCount === 1
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

/** From then on the history counts as complete. */
async function endMove({ pool, historyPool }: Pools): Promise<void> {
  const tables = [dayTable, ...addRowsSql.keys()]
  const isLeft = tables.map((table) => `exists (select from ${table})`).join(' or ')
  if ((await olderTables(pool)).length > 0) {
    const { rows } = await pool.query<{ left: boolean }>(`select ${isLeft} as left`)
    if (rows[0]?.left === true) return
  }
  await historyPool.query(`delete from history_rebuild where state = 'moving'`)
}
