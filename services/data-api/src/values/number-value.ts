import { decimalOf, printDecimal } from '@surehook/contracts/filter/values/decimal'
import { accepted, type ParsedValue, refused } from './parsed-value.ts'

const int32 = 2 ** 31

export function parseInteger(value: unknown): ParsedValue {
  if (!Number.isInteger(value)) return refused('must be a whole number')
  const number = value as number
  if (number < -int32 || number >= int32) return refused('must be within 32 bits')
  return accepted(String(number))
}

const wholeText = /^-?\d{1,19}$/
const int64 = 2n ** 63n

/** JSON parsing has already rounded numbers above 2^53, so larger values must be strings. */
export function parseBigint(value: unknown): ParsedValue {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !wholeText.test(text)) {
    return refused('must be a whole number, as a string when above 2^53')
  }
  const whole = BigInt(text)
  if (whole < -int64 || whole >= int64) return refused('must be within 64 bits')
  return accepted(String(whole))
}

export function parseDouble(value: unknown): ParsedValue {
  if (typeof value !== 'number' || !Number.isFinite(value)) return refused('must be a number')
  return accepted(Object.is(value, -0) ? '0' : String(value))
}

const decimalText = /^-?\d+(?:\.\d+)?$/
const maxDigits = 1_000
/** A double keeps 15 significant digits of any decimal number. */
const exactDigits = 15

export function parseDecimal(value: unknown): ParsedValue {
  const text = typeof value === 'number' ? textOf(value) : value
  if (typeof text !== 'string' || !decimalText.test(text)) {
    return refused('must be a decimal number, as a string when it has more than 15 digits')
  }
  if (text.length > maxDigits) return refused(`must have at most ${maxDigits} digits`)
  return accepted(text)
}

/** Returns `null` if parsing may have lost digits. */
function textOf(value: number): string | null {
  if (!Number.isFinite(value)) return null
  const text = printDecimal(decimalOf(value))
  const digits = text.replace('.', '').replace(/^-?0*/, '').replace(/0+$/, '').length
  return Number.isSafeInteger(value) || digits <= exactDigits ? text : null
}
