import { type FieldType, filterLimits, type Scalar } from '../filter.ts'
import { isNumeric } from './compare-values.ts'
import { decimalOf, maxDecimalLength, parseDecimal, printDecimal } from './decimal.ts'
import { parseInstant } from './instant.ts'

/** Index key of an operand. Two operands that equal the same values have the same key. */
export function operandKey(value: Scalar, type: FieldType | null = null): string {
  if (typeof value === 'number') return `n${printDecimal(decimalOf(value))}`
  if (typeof value !== 'string') return String(value)
  return isNumeric(type) ? `n${value}` : `s${value}`
}

/**
 * Index keys of a record's value. An operand equals the value if and only if its key is in the
 * result.
 */
export function valueKeys(value: unknown, type: FieldType | null = null): string[] {
  if (value === null || value === undefined) return [operandKey(null)]
  if (typeof value === 'boolean') return [operandKey(value)]
  if (typeof value === 'number') return Number.isFinite(value) ? [operandKey(value)] : []
  return typeof value === 'string' && value.length <= longestOperand ? textKeys(value, type) : []
}

/** A longer text equals no operand, so it is not copied for a comparison. */
const longestOperand = Math.max(filterLimits.textLength, maxDecimalLength)

function textKeys(text: string, type: FieldType | null): string[] {
  const normal = normalText(text, type)
  const keys = normal === null ? [] : [`s${normal}`]
  const decimal = parseDecimal(text)
  return decimal === null ? keys : [...keys, `n${printDecimal(decimal)}`]
}

/**
 * The text in the form in which texts of the type compare, or `null` if it is a number or not of
 * the type.
 */
function normalText(text: string, type: FieldType | null): string | null {
  if (isNumeric(type)) return null
  if (type === 'timestamp') return parseInstant(text)
  return type === 'uuid' ? text.toLowerCase() : text
}
