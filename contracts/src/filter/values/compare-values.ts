import type { FieldType, Scalar } from '../filter.ts'
import { compareCodePoints } from './code-points.ts'
import { compareDecimals, decimalOf, parseDecimal } from './decimal.ts'
import { parseInstant } from './instant.ts'

/**
 * Compares a record's value with the operand. Returns a negative number, 0 or a positive number, or
 * NaN if they do not compare.
 */
export type Compare = (value: unknown) => number

/** True if operands of the type are numbers in string form. */
export const isNumeric = (type: FieldType | null): boolean =>
  type === 'bigint' || type === 'decimal'

/** Returns the comparison with `operand`. Null equals only null. A missing value counts as null. */
export function comparerOf(operand: Scalar, type: FieldType | null): Compare {
  if (operand === null) return (value) => (value === null || value === undefined ? 0 : Number.NaN)
  if (typeof operand === 'boolean') return (value) => (value === operand ? 0 : Number.NaN)
  if (typeof operand === 'number' || isNumeric(type)) return numberComparer(operand)
  if (type === 'timestamp') return textComparer(operand, parseInstant)
  if (type === 'uuid') return textComparer(operand, (value) => value.toLowerCase())
  return (value) => {
    if (value === operand) return 0
    return typeof value === 'string' ? compareCodePoints(value, operand) : Number.NaN
  }
}

function textComparer(operand: string, normal: (value: string) => string | null): Compare {
  return (value) => {
    const text = typeof value === 'string' ? normal(value) : null
    return text === null ? Number.NaN : compareCodePoints(text, operand)
  }
}

/** JSON strings that hold a bigint or decimal compare as numbers too. */
function numberComparer(operand: number | string): Compare {
  const double = typeof operand === 'number' ? operand : null
  const exact = double === null ? parseDecimal(String(operand)) : decimalOf(double)
  if (exact === null) throw new Error('The operand of a number is not in its normal form')
  return (value) => {
    if (typeof value === 'number') {
      if (double !== null) return value < double ? -1 : value > double ? 1 : 0
      return Number.isFinite(value) ? compareDecimals(decimalOf(value), exact) : value
    }
    const decimal = typeof value === 'string' ? parseDecimal(value) : null
    return decimal === null ? Number.NaN : compareDecimals(decimal, exact)
  }
}
