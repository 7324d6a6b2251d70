import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compareCodePoints } from './code-points.ts'
import { compareDecimals, type Decimal, decimalOf, parseDecimal, printDecimal } from './decimal.ts'
import { isDate, parseInstant } from './instant.ts'

describe('decimals', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [1.5, '1.5'],
    [-0.001, '-0.001'],
    [1e-7, '0.0000001'],
    [1.25e21, '1250000000000000000000'],
    [123456.789, '123456.789'],
  ])('%d is %s', (value, text) => {
    expect(printDecimal(decimalOf(value))).toBe(text)
  })

  test.each(['', '-', '1.', '.5', '01', '+1', '1e5', ' 1', '1 ', 'NaN', '1_0', '١'])(
    '%j is no decimal',
    (text) => {
      expect(parseDecimal(text)).toBeNull()
    },
  )

  test('sort by their numeric value, beyond the precision of a double', () => {
    const scaled = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n })
    const read = (thousandths: bigint): Decimal => {
      const digits = String(thousandths < 0n ? -thousandths : thousandths).padStart(4, '0')
      const text = `${thousandths < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
      const decimal = parseDecimal(text)
      if (decimal === null) throw new Error(text)
      return decimal
    }
    fc.assert(
      fc.property(scaled, scaled, (a, b) => {
        expect(Math.sign(compareDecimals(read(a), read(b)))).toBe(a < b ? -1 : a > b ? 1 : 0)
        expect(compareDecimals(read(a), read(a))).toBe(0)
      }),
    )
  })

  test('a double is the decimal that it prints as', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(printDecimal(decimalOf(value)))).toBe(value === 0 ? 0 : value)
      }),
    )
  })
})

describe('instants', () => {
  test.each([
    ['2026-01-01', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01T10:00Z', '2026-01-01T10:00:00.000000Z'],
    ['2026-01-01T10:00:00.5+02:00', '2026-01-01T08:00:00.500000Z'],
    ['2026-01-01t23:30:00.123456-0130', '2026-01-02T01:00:00.123456Z'],
    ['2024-02-29T00:00:00z', '2024-02-29T00:00:00.000000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant)
  })

  test.each([
    '',
    '2026',
    '2026-02-30',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-01-01T10:00:00',
    '2026-01-01T10:00:00.1234567Z',
    '2026-01-01T10:00:00+24:00',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
  ])('%j is not an instant', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  test('a date is a day that exists', () => {
    expect(['2024-02-29', '2025-02-29', '2025-13-01', '2025-1-1'].map(isDate)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})

test('texts order as their UTF-8 bytes do', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed())
  const near = fc.constantFrom('\uFF5E', '😀', '\uD7FF', '\uE000', 'a', 'ab', '')
  fc.assert(
    fc.property(fc.oneof(near, text), fc.oneof(near, text), (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      )
    }),
    { numRuns: 1000 },
  )
})
