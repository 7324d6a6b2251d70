import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compileFilter } from '../compile-filter.ts'
import type { Scalar } from '../filter.ts'
import { parseFilter } from '../parse-filter.ts'
import { operandKey, valueKeys } from './equality.ts'

function filterOf(json: unknown) {
  const parsed = parseFilter(json)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
  return parsed.filter
}

describe('operandKey and valueKeys', () => {
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

  test('find a filter by its key exactly when the filter is true', () => {
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
        const isFound = valueKeys(found).includes(operandKey(wanted as Scalar))
        expect(isFound).toBe(compileFilter(filter)({ f: found }, []))
      }),
      { numRuns: 2000 },
    )
  })
})
