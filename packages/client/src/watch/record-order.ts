import type { Stored } from '../resources/stored-record.ts'

/** What is compared: `null` comes last. */
type Key = number | string | Digits | null
type Digits = { isNegative: boolean; whole: string; fraction: string }
type Term = { field: string; isDescending: boolean }

/** Surehook orders text by this many characters. */
const comparedCharacters = 200
const number = /^-?\d+(?:\.\d+)?$/

/**
 * Returns the records in the order in which Surehook lists them. It does not know the types of the
 * columns, so it compares text as numbers in a column that holds nothing but numbers.
 */
export function inOrder<T extends object>(
  records: Iterable<Stored<T>>,
  order: string | readonly string[] = [],
): Stored<T>[] {
  const all = [...records]
  const terms = [order].flat().join(',').split(',').filter(Boolean).concat('id').map(termOf)
  const columns = terms.map(({ field, isDescending }) => ({
    keys: keysOf(all.map((record) => (record as Record<string, unknown>)[field])),
    sign: isDescending ? -1 : 1,
  }))
  const compare = (a: number, b: number) => {
    for (const { keys, sign } of columns) {
      const result = compareKeys(keys[a] ?? null, keys[b] ?? null)
      if (result !== 0) return result * sign
    }
    return 0
  }
  const indexes = all.map((_, index) => index).sort(compare)
  return indexes.flatMap((index) => all[index] ?? [])
}

const termOf = (text: string): Term =>
  text.startsWith('-')
    ? { field: text.slice(1), isDescending: true }
    : { field: text, isDescending: false }

function keysOf(values: readonly unknown[]): Key[] {
  const isNumbers = values.every((value) => isEmpty(value) || isNumber(value))
  return values.map((value) => {
    if (isEmpty(value)) return null
    if (typeof value === 'boolean') return Number(value)
    if (typeof value === 'string') return isNumbers ? digitsOf(value) : value
    return typeof value === 'number' ? value : null
  })
}

const isNumber = (value: unknown) => typeof value === 'string' && number.test(value)
const isEmpty = (value: unknown) => value === null || value === undefined

function digitsOf(text: string): Digits {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return {
    isNegative: text.startsWith('-'),
    whole: whole.replace(/^0+/, ''),
    fraction: fraction.replace(/0+$/, ''),
  }
}

function compareKeys(a: Key, b: Key): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'object' && typeof b === 'object') return compareDigits(a, b)
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return Number(a) - Number(b)
}

/** Numbers of any length: those of JavaScript would lose digits. */
function compareDigits(a: Digits, b: Digits): number {
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1
  const larger =
    a.whole.length - b.whole.length ||
    compareAscii(a.whole, b.whole) ||
    compareAscii(a.fraction, b.fraction)
  return a.isNegative ? -larger : larger
}

const compareAscii = (a: string, b: string) => Number(a > b) - Number(a < b)

/** By code points, as PostgreSQL with the collation C. */
function compareText(a: string, b: string): number {
  for (let at = 0, count = 0; count < comparedCharacters; count++) {
    const [left, right] = [a.codePointAt(at), b.codePointAt(at)]
    if (left !== right) return (left ?? -1) - (right ?? -1)
    if (left === undefined) return 0
    at += left > 0xffff ? 2 : 1
  }
  return 0
}
