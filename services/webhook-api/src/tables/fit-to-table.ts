import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { settleOperands } from '@surehook/contracts/filter/settle-operands'
import type { RuledViolation } from '@surehook/contracts/problem'
import { invalid, maxViolations } from '@surehook/service-kit/errors'
import type { Fields } from './known-tables.ts'

type Filter = Record<string, unknown> | null | undefined

export type FittedFilter<F> = { filter: F; violations: RuledViolation[] }

/**
 * Fits the operands of a filter to the types of the table. Returns violations for fields that the
 * table lacks.
 */
export function fitFilter<F extends Filter>(filter: F, fields: Fields): FittedFilter<F> {
  if (!filter) return { filter, violations: [] }
  const parsed = parseFilter(filter, { fields })
  const settled = parsed.ok ? settleOperands(filter, fields) : parsed
  if (settled.ok) return { filter: settled.filter as F, violations: [] }
  const violations = settled.violations.map((violation) => ({
    ...violation,
    field: violation.field === '' ? 'filter' : `filter.${violation.field}`,
  }))
  return { filter, violations }
}

/**
 * Returns the fitted filter, or the filter unchanged if the table is unknown. Throws
 * VALIDATION_ERROR with each place that the table does not support.
 */
export function fitToTable<F extends Filter>(filter: F, fields: Fields | undefined): F {
  if (fields === undefined) return filter
  const fitted = fitFilter(filter, fields)
  if (fitted.violations.length > 0) throw invalid(fitted.violations)
  return fitted.filter
}

/**
 * Fits one filter to each of the tables, as `fitToTable` does. With several tables, each violation
 * names its table. Other requests get a turn after each table.
 */
export async function fitToTables<F extends Filter>(
  filter: F,
  tables: ReadonlyMap<string, Fields | undefined>,
): Promise<Map<string, F>> {
  const violations: RuledViolation[] = []
  const filters = new Map<string, F>()
  for (const [table, fields] of tables) {
    const fitted: FittedFilter<F> = fields ? fitFilter(filter, fields) : { filter, violations: [] }
    const where = tables.size > 1 ? ` (table ${table})` : ''
    for (const { message, ...of } of fitted.violations) {
      violations.push({ ...of, message: `${message}${where}` })
    }
    filters.set(table, fitted.filter)
    await nextTurn()
  }
  if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
  return filters
}
