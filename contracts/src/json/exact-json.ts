import { isJsonObject } from './json-object.ts'

/**
 * Keys of numbers that a double does not hold, by the object or array that has them. They are kept
 * beside the values, because fields of type `double` may be rounded.
 */
const rounded = new WeakMap<object, Set<string>>()

/**
 * Finds literals of numbers that may be rounded, also in texts. It is cheap: remembering makes the
 * parser 20 times as slow. A double keeps any 15 digits, with an exponent of up to two.
 */
const suspects = /(?<=^|[[:,\s])-?(?:\d(?:\.?\d){15}|[\d.]+[eE][+-]?\d{3})[\d.eE+-]*/g
const maxLiteralLength = 1_100

/** `source` is the literal of a number (ECMA-262, JSON.parse source text access). */
type Reviver = (this: object, key: string, value: unknown, at: { source?: string }) => unknown

/** Parses JSON as `JSON.parse` does, and remembers which numbers it rounded. */
export function parseExactJson(text: string): unknown {
  const isExact = text.match(suspects)?.every(isKept) ?? true
  return isExact ? JSON.parse(text) : JSON.parse(text, rememberRounded as never)
}

const rememberRounded: Reviver = function (key, value, { source }) {
  if (typeof value === 'number' && source !== undefined && !isKept(source)) {
    const keys = rounded.get(this) ?? new Set()
    rounded.set(this, keys.add(key))
  }
  return value
}

/** Tells whether `parseExactJson` rounded the number at this key. */
export const isRounded = (holder: object, key: string): boolean =>
  rounded.get(holder)?.has(key) ?? false

/** Tells whether JavaScript writes the number again as it reads it, apart from its form. */
export const isKept = (literal: string): boolean =>
  literal.length <= maxLiteralLength && digitsOf(literal) === digitsOf(String(Number(literal)))

/** Significant digits and the place of the point. `0.10` and `1e-1` have the same. */
function digitsOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = whole + fraction
  const significant = digits.replace(/^0+/, '')
  const shift = whole.length - (digits.length - significant.length) + Number(exponent)
  return significant === '' ? '0' : `${significant.replace(/0+$/, '')}e${shift}`
}

export const roundedFault = 'holds a number of too many digits: send it as a string'

/** A number without an exact form in JSON, and where it is in the value. */
export type NumberFault = { fault: string; path: string[] }

/** Returns the first number in the value that JSON would not hold as its sender meant it. */
export function numberFault(value: unknown): NumberFault | null {
  const fault = scalarFault(value)
  if (fault !== null) return { fault, path: [] }
  if (!isJsonObject(value) && !Array.isArray(value)) return null
  for (const [key, inner] of Object.entries(value)) {
    const found = isRounded(value, key)
      ? { fault: scalarFault(inner) ?? roundedFault, path: [] }
      : numberFault(inner)
    if (found !== null) return { ...found, path: [key, ...found.path] }
  }
  return null
}

function scalarFault(value: unknown): string | null {
  if (typeof value === 'bigint') return 'holds a BigInt: send it as a string'
  if (typeof value !== 'number') return null
  // A literal such as 1e999, which JavaScript reads as Infinity and would write as null.
  if (!Number.isFinite(value)) return 'holds a number out of range'
  // The parser has already rounded it, so the record would differ from what the client sent.
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value)
  return isExact ? null : 'holds a whole number beyond 2^53: send it as a string'
}
