import type { FieldCondition, FieldType, Filter, Scalar } from '../filter.ts'
import { jsonTestSql } from './json-to-sql.ts'
import { SqlParams } from './sql-params.ts'

export type SqlFilter = { readonly text: string; readonly values: readonly unknown[] }

/**
 * Compiles the filter to a parameterised SQL condition. It is true exactly for the rows that the
 * predicate accepts, and false or null for all others. The filter must have been parsed with the
 * table's fields.
 * @param columns quoted SQL of each field's column: `t."amount"`
 * @param startIndex number of the first parameter
 */
export function filterToSql(
  filter: Filter,
  columns: ReadonlyMap<string, string>,
  startIndex = 1,
): SqlFilter {
  const params = new SqlParams(startIndex)
  return { text: conditionSql(filter, columns, params), values: params.values }
}

type Columns = ReadonlyMap<string, string>

function conditionSql(filter: Filter, columns: Columns, params: SqlParams): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      if (filter.of.length === 0) return filter.kind === 'and' ? 'true' : 'false'
      const parts = filter.of.map((part) => conditionSql(part, columns, params))
      return `(${parts.join(` ${filter.kind} `)})`
    }
    case 'not':
      // `is not true` treats null as false, so that its negation is true.
      return `(${conditionSql(filter.of, columns, params)} is not true)`
    case 'changed':
      return 'false'
    case 'field':
      return fieldSql(filter, columns, params)
  }
}

function fieldSql(condition: FieldCondition, columns: Columns, params: SqlParams): string {
  const [field] = condition.path
  const column = columns.get(field)
  if (column === undefined || condition.type === null) {
    throw new Error(`The filter was not parsed with the columns of its table: ${field}`)
  }
  // PostgreSQL cannot infer the type of an unused parameter, so an empty list declares none.
  if (condition.op === 'in' && condition.operand.length === 0) return 'false'
  if (condition.op === 'nin' && condition.operand.length === 0) return 'true'
  const test =
    condition.type === 'json'
      ? jsonTestSql(condition, column, params)
      : columnTestSql(condition, { column, type: condition.type }, params)
  return `(${test})`
}

const sqlTypes: Readonly<Record<Exclude<FieldType, 'json'>, string>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  double: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  uuid: 'uuid',
}
const orderSigns = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

type Target = { column: string; type: Exclude<FieldType, 'json'> }

function columnTestSql(test: FieldCondition, { column, type }: Target, params: SqlParams): string {
  const cast = sqlTypes[type]
  switch (test.op) {
    case 'eq':
      return test.operand === null
        ? `${column} is null`
        : `${column} = ${params.add(test.operand, cast)}`
    case 'ne':
      return test.operand === null
        ? `${column} is not null`
        : `${column} is distinct from ${params.add(test.operand, cast)}`
    case 'in':
      return inSql(test.operand, { column, type }, params)
    case 'nin':
      return `(${inSql(test.operand, { column, type }, params)}) is not true`
    case 'exists':
      return `${column} is ${test.operand ? 'not null' : 'null'}`
    case 'contains':
      return `strpos(${column}, ${params.add(test.operand, 'text')}) > 0`
    case 'startsWith':
      return `starts_with(${column}, ${params.add(test.operand, 'text')})`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const ordered = type === 'text' ? `${column} collate "C"` : column
      return `${ordered} ${orderSigns[test.op]} ${params.add(test.operand, cast)}`
    }
  }
}

function inSql(operands: readonly Scalar[], { column, type }: Target, params: SqlParams): string {
  const values = operands.filter((operand) => operand !== null)
  const listed = `${column} = any(${params.add(values, `${sqlTypes[type]}[]`)})`
  return values.length === operands.length ? listed : `${listed} or ${column} is null`
}
