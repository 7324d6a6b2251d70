import { decimalOf, parseDecimal, printDecimal } from './decimal.ts'
import type { Filter, Scalar } from './filter.ts'

export type Equality = { readonly field: string; readonly value: Scalar }

/**
 * An equality without which the filter is false, for an index of filters: a record can match only
 * if one of `valueKeys(record[field])` is `operandKey(value)`. For filters of unknown tables.
 */
export function equalityOf(filter: Filter): Equality | null {
  if (filter.kind === 'and') {
    for (const part of filter.of) {
      const equality = equalityOf(part)
      if (equality !== null) return equality
    }
    return null
  }
  const isEquality = filter.kind === 'field' && filter.op === 'eq' && filter.path.length === 1
  return isEquality && filter.type === null
    ? { field: filter.path[0], value: filter.operand }
    : null
}

/** The key under which an operand is found; equal operands have equal keys. */
export function operandKey(value: Scalar): string {
  if (typeof value === 'string') return `s${value}`
  return typeof value === 'number' ? `n${printDecimal(decimalOf(value))}` : String(value)
}

/** The keys of the operands that equal a record's value: `operand eq value` if and only if its key is here. */
export function valueKeys(value: unknown): string[] {
  if (value === null || value === undefined) return [operandKey(null)]
  if (typeof value === 'boolean') return [operandKey(value)]
  if (typeof value === 'number') return Number.isFinite(value) ? [operandKey(value)] : []
  if (typeof value !== 'string') return []
  const decimal = parseDecimal(value)
  return decimal === null ? [`s${value}`] : [`s${value}`, `n${printDecimal(decimal)}`]
}
