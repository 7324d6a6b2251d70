import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { allFields } from '../../test/filter-arbitraries.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { filterLimits } from './filter.ts'
import { type ParseFilterOptions, parseFilter } from './parse-filter.ts'

const known: ParseFilterOptions = { fields: allFields }

function filterOf(json: unknown, options?: ParseFilterOptions) {
  const parsed = parseFilter(json, options)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.violations))
  return parsed.filter
}

function faults(json: unknown, options?: ParseFilterOptions): string[] {
  const parsed = parseFilter(json, options)
  return parsed.ok ? [] : parsed.violations.map(({ field, message }) => `${field}: ${message}`)
}

describe('a number that the JSON parser rounded', () => {
  const numeral = '0.12345678901234567890'
  const types = ['decimal', 'json', null] as const
  const rounded = types.flatMap((type) =>
    [
      { filter: `{"f":${numeral}}`, path: 'f' },
      { filter: `{"not":{"f":{"gt":${numeral}}}}`, path: 'not.f.gt' },
      { filter: `{"or":[{},{"f":{"nin":[0.5,${numeral}]}}]}`, path: 'or.1.f.nin.1' },
    ].map((one) => ({ ...one, type })),
  )
  test.each([
    ...rounded,
    { filter: '{"f":9007199254740993}', path: 'f', type: 'decimal' as const },
  ])('is refused in $filter of $type', ({ filter, path, type }) => {
    const options = type === null ? {} : { fields: new Map([['f', type]]) }
    expect(faults(parseExactJson(filter), options)).toEqual([expect.stringContaining(`${path}: `)])
  })

  test('is what a double is', () => {
    const filter = parseExactJson(`{"f":${numeral}}`)
    expect(faults(filter, { fields: new Map([['f', 'double']]) })).toEqual([])
  })
})

describe('parseFilter', () => {
  test.each([
    [{}, { kind: 'and', of: [] }],
    [{ s: 'a' }, { kind: 'field', path: ['s'], type: null, op: 'eq', operand: 'a' }],
    [{ s: null }, { kind: 'field', path: ['s'], type: null, op: 'eq', operand: null }],
    [
      { 'a.b.0': { gt: 1 } },
      { kind: 'field', path: ['a', 'b', '0'], type: null, op: 'gt', operand: 1 },
    ],
    [{ changed: ['a'] }, { kind: 'changed', fields: ['a'] }],
    [{ not: {} }, { kind: 'not', of: { kind: 'and', of: [] } }],
  ])('reads %j', (json, filter) => {
    expect(filterOf(json)).toEqual(filter)
  })

  test('several fields, operators and connectives of one object must all hold', () => {
    const filter = filterOf({ n: { gte: 1, lt: 5 }, s: 'a', or: [{ t: 1 }, { t: 2 }] })
    const field = (name: string, op: string, operand: unknown) => ({
      kind: 'field',
      path: [name],
      type: null,
      op,
      operand,
    })
    expect(filter).toEqual({
      kind: 'and',
      of: [
        field('n', 'gte', 1),
        field('n', 'lt', 5),
        field('s', 'eq', 'a'),
        { kind: 'or', of: [field('t', 'eq', 1), field('t', 'eq', 2)] },
      ],
    })
  })

  test.each([
    [null, ': must be an object'],
    [[], ': must be an object'],
    ['a', ': must be an object'],
    [{ status: { gtx: 1 } }, 'status.gtx: unknown operator'],
    [{ status: {} }, 'status: must have an operator'],
    [{ status: ['a'] }, 'status: must be a value, or {"in": [...]}'],
    [{ status: { in: 'a' } }, 'status.in: must be a list'],
    [{ status: { in: ['a', {}] } }, 'status.in.1: must be a string, a number, true, false or null'],
    [{ n: { gt: null } }, 'n.gt: must be a string or a number'],
    [{ n: { gt: true } }, 'n.gt: must be a string or a number'],
    [{ n: { exists: 1 } }, 'n.exists: must be true or false'],
    [{ n: { contains: null } }, 'n.contains: must be a string, a number, true or false'],
    [{ n: { startsWith: 1 } }, 'n.startsWith: must be a string'],
    [{ n: Number.POSITIVE_INFINITY }, 'n: must be a number'],
    [{ n: 'a\0' }, 'n: must be valid text without NUL'],
    [{ n: '\ud800' }, 'n: must be valid text without NUL'],
    [{ '': 1 }, ': is not a path of fields'],
    [{ 'a..b': 1 }, 'a..b: is not a path of fields'],
    [{ and: {} }, 'and: must be a list of at least one filter'],
    [{ or: [] }, 'or: must be a list of at least one filter'],
    [{ or: [{ a: 1 }, 7] }, 'or.1: must be an object'],
    [{ and: [{ not: { s: { gtx: 1 } } }] }, 'and.0.not.s.gtx: unknown operator'],
    [{ changed: 'a' }, 'changed: must be a list of at least one field'],
    [{ changed: ['a', 1] }, 'changed.1: must be the name of a field'],
  ])('refuses %j', (json, fault) => {
    expect(faults(json)).toEqual([fault])
  })

  test('names every fault', () => {
    expect(faults({ a: { x: 1, gt: [] }, or: [{ b: {} }] })).toEqual([
      'a.x: unknown operator',
      'a.gt: must be a string or a number',
      'or.0.b: must have an operator',
    ])
  })

  test.each([
    [{ a: 2 ** 53 }, 'a: must be a string: JSON numbers are exact up to 2^53 only'],
    [
      { a: { in: [1, -(2 ** 63)] } },
      'a.in.1: must be a string: JSON numbers are exact up to 2^53 only',
    ],
  ])('refuses %j without a table, because it may be a rounded number', (filter, fault) => {
    expect(faults(filter)).toEqual([fault])
    expect(faults({ a: 2 ** 53 - 1, b: 1e300 })).toEqual([])
  })

  test.each([
    [{ nope: 1 }, 'nope: is not a field of the table'],
    [{ changed: ['nope'] }, 'changed.0: is not a field of the table'],
    [{ 'words.a': 1 }, 'words.a: words has the type text, which has no fields of its own'],
    [{ words: 1 }, 'words: must be a string'],
    [{ small: 1.5 }, 'small: must be a whole number of 32 bits'],
    [{ small: { gt: 2 ** 31 } }, 'small.gt: must be a whole number of 32 bits'],
    [{ big: 2 ** 53 }, 'big: must be a whole number of 64 bits, as a string when above 2^53'],
    [
      { big: '9223372036854775808' },
      'big: must be a whole number of 64 bits, as a string when above 2^53',
    ],
    [{ price: '1e5' }, 'price: must be a decimal number, as a number or a string'],
    [{ real: '1' }, 'real: must be a number'],
    [{ flag: 'true' }, 'flag: must be true or false'],
    [{ flag: { gt: true } }, 'flag.gt: does not fit the type boolean'],
    [{ small: { contains: 'a' } }, 'small.contains: does not fit the type integer'],
    [{ ref: { startsWith: 'a' } }, 'ref.startsWith: does not fit the type uuid'],
    [{ ref: 'a' }, 'ref: must be a UUID'],
    [{ day: '2026-02-30' }, 'day: must be a date, YYYY-MM-DD'],
    [
      { moment: '2026-01-01T00:00:00' },
      'moment: must be an ISO 8601 time with its offset or Z, or a date',
    ],
  ])('refuses %j for a known table', (json, fault) => {
    expect(faults(json, known)).toEqual([fault])
  })

  test('refuses `changed` where no change exists', () => {
    expect(faults({ changed: ['words'] }, { changed: false })).toEqual([
      'changed: is only for webhooks',
    ])
  })

  test('limits the cost of a filter', () => {
    const { conditions, depth, listLength, textLength } = filterLimits
    const nested = (levels: number): unknown =>
      levels === 1 ? { a: 1 } : { not: nested(levels - 1) }
    const many = (count: number) => ({ a: { in: Array.from({ length: count }, () => 1) } })
    const all = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))
    expect(faults(nested(depth))).toEqual([])
    expect(faults(nested(depth + 1))).toHaveLength(1)
    expect(faults(nested(5000))).toHaveLength(1)
    expect(faults(many(listLength))).toEqual([])
    expect(faults(many(listLength + 1))).toHaveLength(1)
    expect(faults(all(conditions))).toEqual([])
    expect(faults(all(conditions + 1))).toEqual([
      `f${conditions}: a filter has at most ${conditions} conditions`,
    ])
    expect(faults({ a: 'x'.repeat(textLength) })).toEqual([])
    expect(faults({ a: 'x'.repeat(textLength + 1) })).toHaveLength(1)
    expect(faults({ or: Array.from({ length: 100_000 }, () => ({})) })).toHaveLength(1)
    expect(faults({ ['x'.repeat(900)]: { bad: 1 } })[0]?.length).toBeLessThan(250)
  })

  test('bounds the operands of all its tests together', () => {
    const list = Array.from({ length: filterLimits.operands / 4 }, (_, i) => i)
    const four = { a: { in: list, nin: list }, changed: list.map(String), not: { b: { in: list } } }
    expect(faults(four)).toEqual([])
    expect(faults({ ...four, c: 1 })).toEqual([
      `c: a filter has at most ${filterLimits.operands} operands`,
    ])
    expect(faults({ or: [four, four, { nope: {} }] })).toEqual([
      `or.1.a.in: a filter has at most ${filterLimits.operands} operands`,
    ])
  })

  test('bounds the size of its JSON, spaces not counted', () => {
    const { bytes } = filterLimits
    const filter = { a: { in: Array.from({ length: 16 }, () => 'é'.repeat(500)) } }
    const rest = bytes - Buffer.byteLength(JSON.stringify({ ...filter, b: '' }))
    expect(faults({ ...filter, b: 'x'.repeat(rest) })).toEqual([])
    expect(faults({ ...filter, b: 'x'.repeat(rest + 1) })).toEqual([
      `: a filter has at most ${bytes} bytes of JSON`,
    ])
  })

  test('never throws for any input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect([true, false]).toContain(parseFilter(json, known).ok)
      }),
    )
  })
})
