import { AppError } from '@surehook/service-kit/errors'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool } from 'pg'
import { insertValues } from '../../tables/record-statements.ts'
import type { ColumnValues } from '../record-values.ts'
import { runStatement } from '../sql/run-statement.ts'
import {
  createSharedStatements,
  type SharedStatements,
  type SharedStatementsOptions,
} from '../sql/shared-statements.ts'

/** A new record: the head of its change event, and its values. */
export type NewRow = { head: string; values: ColumnValues }

export type SharedInserts = SharedStatements<NewRow>

type Sharing = Pick<SharedStatementsOptions<NewRow>, 'enter' | 'maxWaitMs'>

/** Inserts of one record each share statements. A statement writes all rows or none. */
export const createSharedInserts = (pool: Pool, sharing: Sharing): SharedInserts =>
  createSharedStatements({
    ...sharing,
    ...insertRules,
    statement: (table, rows) =>
      runStatement(pool, table, {
        statement: 'insert',
        values: insertValues(
          rows.map(({ head }) => head),
          rows.map(({ values }) => values),
        ),
      }),
  })

/**
 * Errors by which PostgreSQL refuses one row, and writes none: its data, a constraint, a deadlock
 * over unique values, its size.
 */
const rowErrors = /^(?:2[23]...|40P01)$/

export const insertRules = {
  sizeOf: ({ values }: NewRow) => values.reduce((sum, value) => sum + (value?.length ?? 0), 0),
  isOfOneItem: (err: unknown) =>
    err instanceof AppError
      ? err.code === 'PAYLOAD_TOO_LARGE'
      : rowErrors.test(sqlStateOf(err) ?? ''),
}
