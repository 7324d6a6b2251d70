import { inTransaction } from '@surehook/service-kit/postgres/pool'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool } from 'pg'
import { dayTable, oldestKeptDay } from '../history/rows/delivery-days.ts'

export type DroppedDays = {
  /** The dropped partitions. */
  dropped: string[]
  /** The days whose table stayed in use; the next pass tries again. */
  busy: string[]
}

const tries = 5

/** The longest time that readers and writers of the history wait behind this lock request. */
const lockTimeout = '200ms'

/**
 * Drops the partitions of days that ended more than `historyDays` ago. One replica at a time does
 * it; for others there is nothing to do.
 */
export async function dropOldDays(
  pool: Pool,
  { historyDays, now }: { historyDays: number; now: number },
): Promise<DroppedDays> {
  const oldest = oldestKeptDay(historyDays, now)
  const result: DroppedDays = { dropped: [], busy: [] }
  for (const partition of await partitionsBefore(pool, oldest)) {
    const outcome = await dropPatiently(pool, partition)
    if (outcome === 'elsewhere') return result
    if (outcome !== 'gone') result[outcome].push(partition)
  }
  return result
}

async function partitionsBefore(pool: Pool, oldest: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select child.relname as name
     from pg_inherits i join pg_class child on child.oid = i.inhrelid
     where i.inhparent = to_regclass($1) and right(child.relname, 8) < $2
     order by right(child.relname, 8)`,
    [dayTable, oldest.replaceAll('-', '')],
  )
  return rows.map(({ name }) => name)
}

/** `elsewhere`: another replica is dropping days. `gone`: another replica has dropped it. */
type Outcome = 'dropped' | 'elsewhere' | 'gone'

async function dropPatiently(pool: Pool, partition: string): Promise<Outcome | 'busy'> {
  for (let left = tries; left > 0; left--) {
    try {
      return await dropPartition(pool, partition)
    } catch (err) {
      if (!isLocked(err)) throw err
    }
  }
  return 'busy'
}

function dropPartition(pool: Pool, partition: string): Promise<Outcome> {
  return inTransaction(pool, async (tx) => {
    const lock = await tx.query<{ ours: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('webhook-api retention')) as ours`,
    )
    if (lock.rows[0]?.ours !== true) return 'elsewhere'
    const found = await tx.query('select where to_regclass($1) is not null', [partition])
    if (found.rowCount === 0) return 'gone'
    await tx.query(`set local lock_timeout = '${lockTimeout}'`)
    await tx.query(`drop table ${tx.escapeIdentifier(partition)}`)
    return 'dropped'
  })
}

/** PostgreSQL's lock_not_available (55P03), or a deadlock that this transaction lost (40P01). */
const isLocked = (err: unknown) => /^(?:55P03|40P01)$/.test(sqlStateOf(err) ?? '')
