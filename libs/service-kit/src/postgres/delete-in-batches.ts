import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

/**
 * The most rows of one transaction. A reader of the WAL gets a transaction when it has decoded all
 * of it, and everything behind it later.
 */
const mostRows = 10_000

export type RowsToDelete = {
  /** Not partitioned: a row is found by its place. */
  table: string
  where: string
  values: readonly unknown[]
  /** The most rows of one transaction. */
  rows?: number
  /** Asked before each batch. False: the others stay. */
  mayGoOn?: () => Promise<boolean>
}

/**
 * Deletes rows in batches, each in a transaction of its own, and pauses between two for as long as
 * the first one took, so that readers of the WAL keep up. A caller that was interrupted begins
 * again with what is left.
 * @returns true if there were any, or if some are left: others may delete the same rows
 */
export async function deleteInBatches(pool: Pool, toDelete: RowsToDelete): Promise<boolean> {
  const { table, where, values, rows = mostRows, mayGoOn = async () => true } = toDelete
  const of = `${table} where ${where}`
  for (let isAny = false; await mayGoOn(); isAny = true) {
    const begunAt = performance.now()
    const { rowCount } = await pool.query(
      `delete from ${table} where ctid = any(array(select ctid from ${of} limit ${rows}))`,
      [...values],
    )
    if (rowCount === 0) return isAny || (await exists(pool, of, values))
    await sleep(performance.now() - begunAt)
  }
  return true
}

async function exists(pool: Pool, of: string, values: readonly unknown[]): Promise<boolean> {
  const { rowCount } = await pool.query(`select from ${of} limit 1`, [...values])
  return rowCount !== 0
}
