import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError } from '@surehook/service-kit/errors'
import { DatabaseError, type Pool } from 'pg'
import type { Column, TableDefinition } from '../../table-definition.ts'
import { columnOfConstraint, qualifiedTable } from '../../tables/ddl/table-ddl.ts'
import { shownRows } from '../../tables/rule-sql.ts'
import type { KnownTable } from '../../tables/table-cache.ts'
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

type Conflict = {
  known: Pick<KnownTable, 'definition' | 'limits'>
  column: Column
  rows: readonly ColumnValues[]
  /** The request is a list, so that a violation names the record. */
  bulk: boolean
}

/**
 * Returns the refusal. It names the field, and in a list the records. For a caller with rules it
 * names only what conflicts with a record that the caller may read, or inside the list.
 */
export async function uniqueConflict(
  pool: Pool,
  { known, column, rows, bulk }: Conflict,
  cause: unknown,
): Promise<AppError> {
  const named = { field: column.name, message, rule: 'not_unique' } as const
  if (!bulk && known.limits === undefined) return conflict([named], cause)
  const found = await conflictingRows(pool, { known, column, rows })
  if (!bulk) return conflict(found.length > 0 ? [named] : [], cause)
  const violations = found.map((index) => ({ ...named, field: `${index}.${column.name}` }))
  const isHidden = known.limits !== undefined
  return conflict(violations.length > 0 || isHidden ? violations : [named], cause)
}

async function conflictingRows(
  pool: Pool,
  { known: { definition, limits }, column, rows }: Omit<Conflict, 'bulk'>,
): Promise<string[]> {
  const position = definition.columns.indexOf(column)
  const { cast } = valueTypes[column.type]
  const values: unknown[] = [rows.map((row) => row[position] ?? null)]
  const shown = shownRows(definition, limits?.read ?? null, values)
  const field = shown.fields.get(column.name) ?? 'null'
  // PostgreSQL decides what is equal: the decimals 1.0 and 1.00 are.
  const conditions = [`${field} = i.value::${cast}`, ...shown.conditions]
  const { rows: found } = await pool.query<{ index: string }>(
    `select i.place - 1 as index
       from unnest($1::text[]) with ordinality as i(value, place)
      where exists (select from ${qualifiedTable(definition)} t ${shown.join}
                     where ${conditions.join(' and ')})
         or exists (select from unnest($1::text[]) with ordinality as e(value, place)
                     where e.place < i.place and e.value::${cast} = i.value::${cast})
      order by i.place
      limit 100`,
    values,
  )
  return found.map(({ index }) => index)
}
