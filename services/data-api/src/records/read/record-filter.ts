import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { filterToSql } from '@surehook/contracts/filter/sql/filter-to-sql'
import { parseExactJson } from '@surehook/contracts/json/exact-json'
import { invalid } from '@surehook/service-kit/errors'
import { fieldTypes, type TableShape } from '../../table-definition.ts'
import type { FieldSql } from '../../tables/rule-sql.ts'

/** A table, and the fields of its rows `t` that the caller sees. */
export type ShownTable = { table: Pick<TableShape, 'columns'>; shown: FieldSql }

/**
 * Returns the SQL conditions for the `where` of a list (none or one), and appends their parameters
 * to `values`. The table is `t`.
 */
export function whereSql(
  where: string | undefined,
  { table, shown }: ShownTable,
  values: unknown[],
): string[] {
  if (where === undefined) return []
  const fields = new Map([...fieldTypes(table)].filter(([name]) => shown.has(name)))
  const parsed = parseFilter(parseJson(where), { fields, changed: false })
  if (!parsed.ok) {
    throw invalid(
      parsed.violations.map((violation) => ({
        ...violation,
        field: violation.field === '' ? 'where' : `where.${violation.field}`,
      })),
    )
  }
  const sql = filterToSql(parsed.filter, shown, values.length + 1)
  values.push(...sql.values)
  return [`(${sql.text})`]
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    throw invalid([{ field: 'where', message: 'must be JSON', rule: 'invalid_json' }])
  }
}
