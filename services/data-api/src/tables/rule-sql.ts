import { filterToSql } from '@surehook/contracts/filter/sql/filter-to-sql'
import { assignedFields } from '@surehook/contracts/http/data/names'
import type { Grant, Grants } from '../authorization/grants.ts'
import { quoteIdent } from '../sql/quote.ts'
import { fieldTypes, type TableShape } from '../table-definition.ts'

/** Quoted SQL of each field, for a row of some query. */
export type FieldSql = ReadonlyMap<string, string>

/** The SQL of the fields of a row of the table: `t."amount"`. */
export function fieldsOfRow(table: Pick<TableShape, 'columns'>, row: string): FieldSql {
  return new Map([...fieldTypes(table).keys()].map((name) => [name, `${row}.${quoteIdent(name)}`]))
}

/** SQL that is true for the rows that the grant admits, and false or null for all others. */
export function admitsSql({ filter }: Grant, fields: FieldSql, values: unknown[]): string {
  const { text, values: own } = filterToSql(filter, fields, values.length + 1)
  values.push(...own)
  return text
}

/** SQL that is true for the rows that one of the grants admits, and false or null for all others. */
export function anyAdmitsSql(
  grants: readonly Grant[],
  fields: FieldSql,
  values: unknown[],
): string {
  if (grants.length === 0) return 'false'
  return `(${grants.map((grant) => admitsSql(grant, fields, values)).join(' or ')})`
}

/** The parts of a query over `t` that shows what the grants show. */
export type ShownRows = {
  /** Joins the row `g` to `t`: one boolean for each grant. */
  join: string
  conditions: readonly string[]
  /**
   * The fields as the caller sees them: a column that only some of the grants show is null in the
   * rows that none of those admits, and a column that none shows is missing.
   */
  fields: FieldSql
}

/** Without grants, all rows and fields. Also PostgreSQL's planner sees through the join, so an index serves a condition of a grant. */
export function shownRows(
  table: Pick<TableShape, 'columns'>,
  grants: Grants,
  values: unknown[],
): ShownRows {
  const fields = fieldsOfRow(table, 't')
  if (grants === null) return { join: '', conditions: [], fields }
  const tests = grants.map((grant, n) => `${admitsSql(grant, fields, values)} as "G${n}"`)
  const all = grants.map((_, n) => `g."G${n}"`)
  const shows = (name: string): string[] =>
    all.filter((_, n) => isShown(name, grants[n]?.columns ?? null))
  const shown = [...fields].flatMap(([name, column]): [string, string][] => {
    const by = shows(name)
    if (by.length === 0) return []
    if (by.length === grants.length) return [[name, column]]
    return [[name, `(case when ${by.join(' or ')} then ${column} end)`]]
  })
  return {
    join: `
         cross join lateral (select ${tests.join(', ')}) g`,
    conditions: [grants.length === 0 ? 'false' : `(${all.join(' or ')})`],
    fields: new Map(shown),
  }
}

const isShown = (name: string, columns: Grant['columns']): boolean =>
  columns === null || columns.has(name) || Object.hasOwn(assignedFields, name)
