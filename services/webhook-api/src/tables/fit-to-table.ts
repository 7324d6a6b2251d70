import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { settleOperands } from '@surehook/contracts/filter/settle-operands'
import type { Violation } from '@surehook/contracts/problem'
import { invalid } from '@surehook/service-kit/errors'
import type { Fields } from './known-tables.ts'

type Filter = Record<string, unknown> | null | undefined

export type Wish<F extends Filter> = {
  /** Undefined when the table is not known. */
  fields: Fields | undefined
  filter: F
  select: readonly string[] | null | undefined
}

/**
 * The filter as it is asked without the types of a known table, which are settled here. Throws a VALIDATION_ERROR that
 * names each place at which the table does not have what is asked of it.
 */
export function fitToTable<F extends Filter>({ fields, filter, select }: Wish<F>): F {
  if (fields === undefined) return filter
  const fitted = fitFilter(filter ?? {}, fields)
  const violations = [...fitted.violations, ...selectFaults(select, fields)]
  if (violations.length > 0) throw invalid(violations)
  return (filter ? fitted.filter : filter) as F
}

function fitFilter(filter: Record<string, unknown>, fields: Fields) {
  const parsed = parseFilter(filter, { fields })
  const settled = parsed.ok ? settleOperands(filter, fields) : parsed
  if (settled.ok) return { filter: settled.filter, violations: [] }
  const violations = settled.violations.map(({ field, message }) => ({
    field: field === '' ? 'filter' : `filter.${field}`,
    message,
  }))
  return { filter, violations }
}

function selectFaults(select: Wish<Filter>['select'], fields: Fields): Violation[] {
  return (select ?? []).flatMap((name, index) =>
    fields.has(name) ? [] : [{ field: `select.${index}`, message: 'is not a field of the table' }],
  )
}
