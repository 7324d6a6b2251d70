import type { FieldType } from '@surehook/contracts/filter/filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { filterToSql } from '@surehook/contracts/filter/sql/filter-to-sql'
import { assignedFields } from '@surehook/contracts/http/data/names'
import { parseExactJson } from '@surehook/contracts/json/exact-json'
import { invalid } from '@surehook/service-kit/errors'
import { quoteIdent } from '../../sql/quote.ts'
import type { TableDefinition } from '../../table-definition.ts'

/**
 * Returns the SQL conditions for the `where` of a list (none or one), and appends their parameters
 * to `values`. The table is `t`.
 */
export function whereSql(
  table: Pick<TableDefinition, 'columns'>,
  where: string | undefined,
  values: unknown[],
): string[] {
  if (where === undefined) return []
  const fields = fieldTypes(table)
  const parsed = parseFilter(parseJson(where), { fields, changed: false })
  if (!parsed.ok) {
    throw invalid(
      parsed.violations.map((violation) => ({
        ...violation,
        field: violation.field === '' ? 'where' : `where.${violation.field}`,
      })),
    )
  }
  const columns = new Map([...fields.keys()].map((name) => [name, `t.${quoteIdent(name)}`]))
  const sql = filterToSql(parsed.filter, columns, values.length + 1)
  values.push(...sql.values)
  return [`(${sql.text})`]
}

function fieldTypes({ columns }: Pick<TableDefinition, 'columns'>): Map<string, FieldType> {
  return new Map<string, FieldType>([
    ...Object.entries(assignedFields),
    ...columns.map(({ name, type }): [string, FieldType] => [name, type]),
  ])
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    throw invalid([{ field: 'where', message: 'must be JSON', rule: 'invalid_json' }])
  }
}
