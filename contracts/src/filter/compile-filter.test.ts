import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { allFields, filterJson, lists, row } from '../../test/filter-arbitraries.ts'
import { compileFilter } from './compile-filter.ts'
import type { FieldType } from './filter.ts'
import { parseFilter } from './parse-filter.ts'
import { comparerOf } from './values/compare-values.ts'

function predicate(json: unknown, fields?: ReadonlyMap<string, FieldType>) {
  const parsed = parseFilter(json, { fields })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
  return compileFilter(parsed.filter)
}

describe('a filter of a table that is not known', () => {
  test.each<[unknown, Record<string, unknown>, boolean]>([
    [{}, {}, true],
    [{ s: 'a' }, { s: 'a' }, true],
    [{ s: 'a' }, { s: 'A' }, false],
    [{ s: 'a' }, {}, false],
    [{ s: null }, {}, true],
    [{ s: null }, { s: null }, true],
    [{ s: null }, { s: '' }, false],
    [{ s: { ne: 'a' } }, { s: null }, true],
    [{ s: { ne: null } }, {}, false],
    [{ s: { nin: ['a'] } }, {}, true],
    [{ s: { nin: ['a', null] } }, {}, false],
    [{ s: { in: [] } }, { s: null }, false],
    [{ s: { in: ['a', null] } }, { s: null }, true],
    [{ s: { exists: true } }, { s: null }, false],
    [{ s: { exists: false } }, {}, true],
    [{ n: { gt: 5 } }, { n: 6 }, true],
    [{ n: { gt: 5 } }, { n: 5 }, false],
    [{ n: { gte: 5 } }, { n: 5 }, true],
    [{ n: { lt: 5 } }, { n: null }, false],
    [{ n: { lte: 5 } }, {}, false],
    [{ not: { n: { gt: 5 } } }, { n: null }, true],
    [{ n: { gt: 9 } }, { n: '10' }, true],
    [{ n: { gt: 9 } }, { n: '10.000000000000000000001' }, true],
    [{ n: 10 }, { n: '10.0' }, true],
    [{ n: 7 }, { n: '007' }, false],
    [{ n: 10 }, { n: 'ten' }, false],
    [{ n: '10' }, { n: 10 }, false],
    [{ s: { gt: '9' } }, { s: '10' }, false],
    [{ s: { gt: '\uFF5E' } }, { s: '😀' }, true],
    [{ b: true }, { b: true }, true],
    [{ b: true }, { b: 'true' }, false],
    [{ 'a.b': 1 }, { a: { b: 1 } }, true],
    [{ 'a.b': 1 }, { 'a.b': 1 }, false],
    [{ 'a.0': 1 }, { a: [1] }, true],
    [{ 'a.-1': 2 }, { a: [1, 2] }, true],
    [{ 'a.length': 2 }, { a: [1, 2] }, false],
    [{ 'a.length': 1 }, { a: 'x' }, false],
    [{ toString: { exists: true } }, {}, false],
    [{ s: { contains: 'ell' } }, { s: 'hello' }, true],
    [{ s: { contains: '' } }, { s: '' }, true],
    [{ s: { contains: '' } }, {}, false],
    [{ s: { contains: 'a' } }, { s: ['a', 'b'] }, true],
    [{ s: { contains: 1 } }, { s: ['1'] }, false],
    [{ s: { contains: 1 } }, { s: '1' }, false],
    [{ s: { startsWith: 'he' } }, { s: 'hello' }, true],
    [{ s: { startsWith: 'lo' } }, { s: 'hello' }, false],
    [{ or: [{ s: 'a' }, { n: 1 }] }, { n: 1 }, true],
    [{ s: 'a', n: 1 }, { n: 1 }, false],
  ])('%j of %j is %j', (filter, record, expected) => {
    expect(predicate(filter)(record, [])).toBe(expected)
  })

  test('an update that changed one of the fields', () => {
    const changed = predicate({ changed: ['a', 'b'] })
    expect(changed({}, ['x', 'b'])).toBe(true)
    expect(changed({}, ['x'])).toBe(false)
    expect(changed({ a: 1 }, [])).toBe(false)
  })

  test('never throws for any record', () => {
    const record = fc.dictionary(
      fc.constantFrom('doc', 'words', 'price', '__proto__'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(filterJson, record, fc.boolean(), (json, value, isKnown) => {
        const matches = predicate(json, isKnown ? allFields : undefined)
        expect([true, false]).toContain(matches(value, []))
      }),
    )
  })
})

describe('a filter of a known table', () => {
  test.each<[unknown, Record<string, unknown>, boolean]>([
    [{ big: { gt: '9' } }, { big: '10' }, true],
    [{ big: '9007199254740993' }, { big: '9007199254740992' }, false],
    [{ price: { eq: '1.50' } }, { price: '1.5' }, true],
    [{ price: { lt: '-2' } }, { price: '-10' }, true],
    [{ price: 0.1 }, { price: '0.1' }, true],
    [{ moment: '2026-01-01T01:00:00+01:00' }, { moment: '2026-01-01T00:00:00.000Z' }, true],
    [{ moment: { gt: '2026-01-01' } }, { moment: '2026-01-01T00:00:00.000001Z' }, true],
    [{ day: { gte: '2026-01-02' } }, { day: '2026-01-01' }, false],
    [
      { ref: '00000000-0000-0000-0000-00000000000A' },
      { ref: '00000000-0000-0000-0000-00000000000a' },
      true,
    ],
  ])('%j of %j is %j', (filter, record, expected) => {
    expect(predicate(filter, allFields)(record, [])).toBe(expected)
  })
})

/** The parser refuses other numbers: they could be rounded 64-bit integers. */
const isExact = (value: unknown) =>
  !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value as number) > 2 ** 64

describe('the operands of `in`', () => {
  test('contain every value that equals one of them', () => {
    fc.assert(
      fc.property(lists, ({ field, operands, value, isKnown }) => {
        fc.pre(operands.every(isExact))
        const fields = isKnown ? allFields : undefined
        const parsed = parseFilter({ [field]: { in: operands } }, { fields })
        if (!parsed.ok || parsed.filter.kind !== 'field' || parsed.filter.op !== 'in') {
          throw new Error(JSON.stringify(parsed))
        }
        const { operand, type } = parsed.filter
        const isEqual = operand.some((one) => comparerOf(one, type)(value) === 0)
        const record = { [field]: value }
        expect(compileFilter(parsed.filter)(record, [])).toBe(isEqual)
        expect(predicate({ [field]: { nin: operands } }, fields)(record, [])).toBe(!isEqual)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('the laws of logic', () => {
  const laws: [string, (a: unknown, b: unknown) => [unknown, unknown]][] = [
    ['the order of and', (a, b) => [{ and: [a, b] }, { and: [b, a] }]],
    ['the order of or', (a, b) => [{ or: [a, b] }, { or: [b, a] }]],
    ['De Morgan', (a, b) => [{ not: { and: [a, b] } }, { or: [{ not: a }, { not: b }] }]],
    ['De Morgan', (a, b) => [{ not: { or: [a, b] } }, { and: [{ not: a }, { not: b }] }]],
    ['absorption', (a, b) => [{ or: [a, { and: [a, b] }] }, a]],
    ['absorption', (a, b) => [{ and: [a, { or: [a, b] }] }, a]],
  ]
  const on = (record: Record<string, unknown>) => (json: unknown) =>
    predicate(json, allFields)(record, ['words'])

  test.each(laws)('%s', (_name, law) => {
    fc.assert(
      fc.property(filterJson, filterJson, row, (a, b, record) => {
        const sides = law(a, b)
        // Two large filters together may exceed the limits of one.
        fc.pre(sides.every((json) => parseFilter(json, { fields: allFields }).ok))
        const [left, right] = sides.map(on(record))
        expect(left).toBe(right)
      }),
      { numRuns: 300 },
    )
  })

  test('not negates', () => {
    fc.assert(
      fc.property(filterJson, row, (json, record) => {
        expect(on(record)({ not: json })).toBe(!on(record)(json))
      }),
    )
  })
})
