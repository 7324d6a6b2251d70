import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compileFilter } from './compile-filter.ts'
import { equalityOf, operandKey, valueKeys } from './equality.ts'
import { parseFilter } from './parse-filter.ts'

function filterOf(json: unknown) {
  const parsed = parseFilter(json)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
  return parsed.filter
}

describe('equalityOf', () => {
  test.each([
    [{ s: 'a' }, { field: 's', value: 'a' }],
    [{ s: null }, { field: 's', value: null }],
    [
      { n: { gt: 1 }, s: 'a' },
      { field: 's', value: 'a' },
    ],
    [{ and: [{ n: { gt: 1 } }, { and: [{ s: 'a' }] }] }, { field: 's', value: 'a' }],
    [{}, null],
    [{ s: { ne: 'a' } }, null],
    [{ 's.t': 'a' }, null],
    [{ not: { s: 'a' } }, null],
    [{ or: [{ s: 'a' }] }, null],
  ])('of %j is %j', (json, equality) => {
    expect(equalityOf(filterOf(json))).toEqual(equality)
  })

  const alike = fc.constantFrom<unknown>(
    '1',
    1,
    '1.0',
    '10',
    10,
    0,
    -0,
    '0',
    '-0',
    true,
    'true',
    null,
    'null',
    '007',
    7,
    1e21,
    '1000000000000000000000',
  )

  test('finds a filter by its key exactly when the filter is true', () => {
    const operand = fc.oneof(
      alike,
      fc.string().filter((s) => s.isWellFormed() && !s.includes('\0')),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
    )
    const value = fc.oneof(alike, fc.jsonValue())
    fc.assert(
      fc.property(operand, value, (wanted, found) => {
        const filter = filterOf({ f: { eq: wanted } })
        const equality = equalityOf(filter)
        const isFound = valueKeys(found).includes(operandKey(equality?.value ?? null))
        expect(isFound).toBe(compileFilter(filter)({ f: found }, []))
      }),
      { numRuns: 2000 },
    )
  })
})
