import { type FieldType, filterLimits, type Scalar } from '../filter.ts'
import { isNumeric } from './compare-values.ts'
import { decimalOf, maxDecimalLength, parseDecimal, printDecimal } from './decimal.ts'
import { parseInstant } from './instant.ts'

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
