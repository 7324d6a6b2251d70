import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { sqlStateOf } from '../sql/sql-state.ts'
import type { KnownTable } from '../tables/table-cache.ts'
import type { RecordStatements } from './record-statements.ts'

/** Raised by `capture_change`. */
const recordTooLarge = 'SH413'

/** Runs one of the table's statements; gives the JSON text of each record. */
export async function runStatement(
  pool: Pool,
  { definition: { id, version }, sql, prepared }: KnownTable,
  { statement, values }: { statement: keyof RecordStatements; values: unknown[] },
): Promise<string[]> {
  const name = prepared ? `${statement}/${id}/${version}` : undefined
  try {
    const { rows } = await pool.query<[string]>({
      ...(name !== undefined && { name }),
      text: sql[statement],
      values,
      rowMode: 'array',
    })
    return rows.map(([record]) => record)
  } catch (err) {
    if (sqlStateOf(err) !== recordTooLarge) throw err
    throw new AppError('PAYLOAD_TOO_LARGE', 'A record has at most 256 KiB', { cause: err })
  }
}
