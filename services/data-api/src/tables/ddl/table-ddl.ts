import { createHash } from 'node:crypto'
import { quoteIdent, quoteLiteral } from '../../sql/quote.ts'
import type { Column, TableDefinition } from '../../table-definition.ts'
import { parseColumnValue } from '../../values/column-value.ts'
import { valueTypes } from '../../values/value-types.ts'
import type { ColumnStep } from './evolve-table.ts'

type TableRef = Pick<TableDefinition, 'schema' | 'name'>
type TableId = Pick<TableDefinition, 'id'>

/** The table's name in SQL, with its schema. */
export const qualifiedTable = ({ schema, name }: TableRef): string =>
  `${quoteIdent(schema)}.${quoteIdent(name)}`

// Indexes and tables share a namespace per schema; the capital letter is safe because table names
// have none.
const primaryKeyName = ({ id }: TableId): string => `P${id}`
const uniqueName = ({ id }: TableId, index: number): string => `U${id}_${index}`

/**
 * The name of an index until its column is in the catalogue, because only then its position is
 * known.
 */
export const preparedIndex = ({ id }: TableId, column: string): string =>
  `N${id}_${createHash('sha256').update(column).digest('hex').slice(0, 16)}`

/** The name of the index that serves the rules of a column. */
export const ruleIndex = ({ id }: TableId, index: number): string => `I${id}_${index}`

/** Returns the column of a unique constraint by the constraint's name, or `undefined`. */
export function columnOfConstraint(
  table: Pick<TableDefinition, 'id' | 'columns'>,
  constraint: string | undefined,
): Column | undefined {
  return table.columns.find((_, index) => uniqueName(table, index) === constraint)
}

/** SQL for a new table with all columns of its definition. */
export function createTableSql(
  table: TableRef & TableId & Pick<TableDefinition, 'columns'>,
): string {
  const columns = table.columns.map(columnSql)
  const uniques = table.columns.flatMap((column, index) =>
    column.unique ? [uniqueSql(table, column, index)] : [],
  )
  const lines = [
    `"id" uuid constraint ${quoteIdent(primaryKeyName(table))} primary key`,
    '"createdAt" timestamptz(3) not null',
    '"updatedAt" timestamptz(3) not null',
    ...columns,
    ...uniques,
  ]
  return `create table ${qualifiedTable(table)} (\n  ${lines.join(',\n  ')}\n)`
}

/** SQL for all steps as one statement, which locks the table once. */
export function alterTableSql(table: TableRef & TableId, steps: readonly ColumnStep[]): string {
  const clauses = steps.flatMap((step) => stepClauses(table, step))
  return `alter table ${qualifiedTable(table)}\n  ${clauses.join(',\n  ')}`
}

function stepClauses(table: TableId, step: ColumnStep): string[] {
  switch (step.kind) {
    case 'add': {
      const { column, index } = step
      const add = `add column ${columnSql(column)}`
      return column.unique ? [add, `add ${uniqueSql(table, column, index)}`] : [add]
    }
    case 'adopt': {
      const name = quoteIdent(uniqueName(table, step.index))
      const prepared = quoteIdent(preparedIndex(table, step.column.name))
      return [`add constraint ${name} unique using index ${prepared}`]
    }
    case 'clear':
      return [`drop column ${quoteIdent(step.column.name)}`]
    case 'relax-required':
      return [`alter column ${quoteIdent(step.column.name)} drop not null`]
    case 'relax-unique':
      return [`drop constraint ${quoteIdent(uniqueName(table, step.index))}`]
    case 'change-default': {
      const { column } = step
      const change = column.default === null ? 'drop default' : `set ${defaultSql(column)}`
      return [`alter column ${quoteIdent(column.name)} ${change}`]
    }
  }
}

function columnSql(column: Column): string {
  const notNull = column.required ? ' not null' : ''
  const defaults = column.default === null ? '' : ` ${defaultSql(column)}`
  return `${quoteIdent(column.name)} ${valueTypes[column.type].sql}${notNull}${defaults}`
}

function uniqueSql(table: TableId, column: Column, index: number): string {
  return `constraint ${quoteIdent(uniqueName(table, index))} unique (${quoteIdent(column.name)})`
}

function defaultSql(column: Column): string {
  const parsed = parseColumnValue(column, column.default)
  if ('fault' in parsed) throw new Error(`default of ${column.name}: ${parsed.fault}`)
  return `default ${quoteLiteral(parsed.text)}::${valueTypes[column.type].cast}`
}
