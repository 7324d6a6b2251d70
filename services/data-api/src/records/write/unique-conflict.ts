import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError } from '@surehook/service-kit/errors'
import { DatabaseError, type Pool } from 'pg'
import { quoteIdent } from '../../sql/quote.ts'
import type { Column, TableDefinition } from '../../table-definition.ts'
import { columnOfConstraint, qualifiedTable } from '../../tables/ddl/table-ddl.ts'
import { valueTypes } from '../../values/value-types.ts'
import type { ColumnValues } from '../record-values.ts'

const uniqueViolation = '23505'
const message = 'another record has this value'

/** Returns the column whose value another record already has, or `undefined`. */
export function conflictingColumn(table: TableDefinition, err: unknown): Column | undefined {
  if (!(err instanceof DatabaseError) || err.code !== uniqueViolation) return undefined
  return columnOfConstraint(table, err.constraint)
}

export function conflict(violations: readonly RuledViolation[], cause: unknown): AppError {
  return new AppError('CONFLICT', 'A unique field has a value that is taken', { violations, cause })
}

export const fieldConflict = (column: Column, cause: unknown): AppError =>
  conflict([{ field: column.name, message, rule: 'not_unique' }], cause)

type Bulk = { table: TableDefinition; column: Column; rows: readonly ColumnValues[] }

/** Like `fieldConflict`, but names the conflicting records of the request. */
export async function bulkConflict(pool: Pool, bulk: Bulk, cause: unknown): Promise<AppError> {
  const { table, column, rows } = bulk
  const position = table.columns.indexOf(column)
  const { sql, cast } = { ...valueTypes[column.type], sql: quoteIdent(column.name) }
  // PostgreSQL decides what is equal: the decimals 1.0 and 1.00 are.
  const { rows: found } = await pool.query<{ index: string }>(
    `select i.place - 1 as index
       from unnest($1::text[]) with ordinality as i(value, place)
      where exists (select from ${qualifiedTable(table)} t where t.${sql} = i.value::${cast})
         or exists (select from unnest($1::text[]) with ordinality as e(value, place)
                     where e.place < i.place and e.value::${cast} = i.value::${cast})
      order by i.place
      limit 100`,
    [rows.map((values) => values[position] ?? null)],
  )
  const fields = found.map(({ index }) => `${index}.${column.name}`)
  const named = fields.length > 0 ? fields : [column.name]
  return conflict(
    named.map((field) => ({ field, message, rule: 'not_unique' })),
    cause,
  )
}
