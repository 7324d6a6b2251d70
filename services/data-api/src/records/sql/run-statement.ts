import { AppError } from '@surehook/service-kit/errors'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool, PoolClient } from 'pg'
import type { RecordStatements } from '../../tables/record-statements.ts'
import type { KnownTable } from '../../tables/table-cache.ts'
import { changedMeanwhile } from '../preconditions.ts'

/** Raised by `capture_change`. */
const recordTooLarge = 'SH413'

const whole = (record: string) => record

/**
 * Runs one of the table's statements. Returns the JSON text of each record, reduced to what the
 * caller may read.
 */
export async function runStatement(
  db: Pool | PoolClient,
  { definition: { id, version }, sql, prepared, view = whole }: KnownTable,
  { statement, values }: { statement: keyof RecordStatements; values: unknown[] },
): Promise<string[]> {
  const name = prepared ? `${statement}/${id}/${version}` : undefined
  try {
    const { rows } = await db.query<[string | null]>({
      ...(name !== undefined && { name }),
      text: sql[statement],
      values,
      rowMode: 'array',
    })
    return rows.map(([record]) => {
      if (record === null) throw changedMeanwhile()
      return view(record)
    })
  } catch (err) {
    if (sqlStateOf(err) !== recordTooLarge) throw err
    throw new AppError('PAYLOAD_TOO_LARGE', 'A record has at most 256 KiB', { cause: err })
  }
}
