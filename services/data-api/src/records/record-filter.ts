import { filterToSql } from '@surehook/contracts/filter/filter-to-sql'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { invalid } from '@surehook/service-kit/errors'
import type { TableDefinition } from '../tables/table-definition.ts'

/** SQL conditions for the `where` of a list (none, or one); parameters are added to `values`. */
export function whereSql(
  table: TableDefinition,
  where: string | undefined,
  values: unknown[],
): string[] {
  if (where === undefined) return []
  const parsed = parseFilter(parseJson(where), { fields: filterFields(table) })
  if (!parsed.ok) throw invalid(parsed.violations)
  const sql = filterToSql(parsed.filter, filterColumns(table), values.length + 1)
  values.push(...sql.values)
  return [`(${sql.text})`]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid([{ field: 'where', message: 'must be JSON' }])
  }
}
