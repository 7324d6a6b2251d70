import { isNumeric } from './compare-values.ts'
import { decimalOf, maxDecimalLength, parseDecimal, printDecimal } from './decimal.ts'
import { type FieldType, type Filter, filterLimits, type Scalar } from './filter.ts'
import { parseInstant } from './instant.ts'

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

/** The key under which an operand is found; operands that equal the same values have equal keys. */
export function operandKey(value: Scalar, type: FieldType | null = null): string {
  if (typeof value === 'number') return `n${printDecimal(decimalOf(value))}`
  if (typeof value !== 'string') return String(value)
  return isNumeric(type) ? `n${value}` : `s${value}`
}

/** The keys of the operands that equal a record's value: `operand eq value` if and only if its key is here. */
export function valueKeys(value: unknown, type: FieldType | null = null): string[] {
  if (value === null || value === undefined) return [operandKey(null)]
  if (typeof value === 'boolean') return [operandKey(value)]
  if (typeof value === 'number') return Number.isFinite(value) ? [operandKey(value)] : []
  return typeof value === 'string' && value.length <= longestOperand ? textKeys(value, type) : []
}

/** A text that is longer equals none, and is not copied to find that out. */
const longestOperand = Math.max(filterLimits.textLength, maxDecimalLength)

function textKeys(text: string, type: FieldType | null): string[] {
  const normal = normalText(text, type)
  const keys = normal === null ? [] : [`s${normal}`]
  const decimal = parseDecimal(text)
  return decimal === null ? keys : [...keys, `n${printDecimal(decimal)}`]
}

/** As texts of the type are compared with each other; `null` when they are numbers, or it is none of them. */
function normalText(text: string, type: FieldType | null): string | null {
  if (isNumeric(type)) return null
  if (type === 'timestamp') return parseInstant(text)
  return type === 'uuid' ? text.toLowerCase() : text
}
