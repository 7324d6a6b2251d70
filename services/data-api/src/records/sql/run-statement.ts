import { AppError } from '@surehook/service-kit/errors'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool, PoolClient } from 'pg'
import { type RuledStatement, type Ruling, ruledStatement } from '../../tables/ruled-statements.ts'
import { asItIs, type KnownTable } from '../../tables/table-cache.ts'
import { changedMeanwhile } from '../preconditions.ts'

/** Raised by `capture_change`. */
const recordTooLarge = 'SH413'

export type RuledCall = {
  statement: RuledStatement
  values: unknown[]
  /** The limits of the caller's rules, if any apply to the statement. */
  ruling?: Ruling | undefined
}

type StatementCall = RuledCall | { statement: 'insertKeyed'; values: unknown[]; ruling?: undefined }

/** No grant of the caller admits the row at this place of the request, from 0. */
export class RefusedRow extends Error {
  readonly index: number

  constructor(index: number) {
    super(`no grant admits row ${index}`)
    this.index = index
  }
}

/**
 * Runs one of the table's statements. Returns the JSON text of each record, reduced to what the
 * caller may read. Throws `RefusedRow`, and has then written nothing.
 */
export async function runStatement(
  db: Pool | PoolClient,
  { definition, sql, prepared, view = asItIs }: KnownTable,
  { statement, values, ruling }: StatementCall,
): Promise<string[]> {
  const { id, version } = definition
  const query = ruling
    ? ruledStatement(definition, statement, { values, ...ruling })
    : {
        ...(prepared && { name: `${statement}/${id}/${version}` }),
        text: sql[statement],
        values,
      }
  try {
    const { rows } = await db.query<[string | null]>({ ...query, rowMode: 'array' })
    return rows.map(([record]) => {
      if (record === null) throw changedMeanwhile()
      if (!record.startsWith('{')) throw new RefusedRow(Number(record))
      return view(record)
    })
  } catch (err) {
    if (sqlStateOf(err) !== recordTooLarge) throw err
    throw new AppError('PAYLOAD_TOO_LARGE', 'A record has at most 256 KiB', { cause: err })
  }
}

/** Every record begins with its id. */
export const idOf = (record: string): string =>
  record.slice('{"id":"'.length, '{"id":"'.length + 36)
