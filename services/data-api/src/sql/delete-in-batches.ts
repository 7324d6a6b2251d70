import type { Pool } from 'pg'

const batch = 10_000

export type RowsToDelete = {
  table: string
  /** The columns of the primary key. */
  key: string
  where: string
  values: readonly unknown[]
}

/**
 * Deletes the rows in batches, because an environment may have written millions of them in a day
 * and the pool limits the time of a statement.
 * @returns true if it deleted any
 */
export async function deleteInBatches(
  pool: Pool,
  { table, key, where, values }: RowsToDelete,
): Promise<boolean> {
  for (let isAny = false; ; isAny = true) {
    const { rowCount } = await pool.query(
      `delete from ${table} where (${key}) in (
         select ${key} from ${table} where ${where} limit ${batch})`,
      [...values],
    )
    if (rowCount === 0) return isAny
  }
}
