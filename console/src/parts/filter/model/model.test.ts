import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { JsonObject } from '../../forms/json-object.ts'
import { filterOf, textOf } from './filter-of.ts'
import {
  type Group,
  groupKinds,
  isReserved,
  type Member,
  mostLevels,
  type Scalar,
} from './model.ts'
import { modelOf } from './model-of.ts'

const field = fc.oneof(
  // Few names, so that rows meet. JavaScript gives the last two a special place in objects.
  fc.constantFrom('a', 'b', 'a.b', '', '0', '__proto__'),
  fc.string().filter((name) => !isReserved(name)),
)
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => {
    const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
    // JSON has no negative zero.
    return isRounded || value === 0 ? 0.5 : value
  }),
)
const row: fc.Arbitrary<Member> = fc.oneof(
  fc.record({
    kind: fc.constant('row' as const),
    field,
    operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'startsWith'),
    operand: scalar,
  }),
  fc.record({
    kind: fc.constant('row' as const),
    field,
    operator: fc.constant('exists'),
    operand: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('row' as const),
    field,
    operator: fc.constantFrom('in', 'nin'),
    operand: fc.array(scalar, { maxLength: 3 }),
  }),
)
const changed: fc.Arbitrary<Member> = fc.record({
  kind: fc.constant('changed' as const),
  fields: fc.array(fc.string(), { maxLength: 2 }),
})
const groupOf = (levels: number): fc.Arbitrary<Group> => {
  const leaf = fc.oneof({ weight: 5, arbitrary: row }, { weight: 1, arbitrary: changed })
  const member = levels === 1 ? leaf : fc.oneof(leaf, { weight: 2, arbitrary: groupOf(levels - 1) })
  return fc.record({
    kind: fc.constantFrom(...groupKinds),
    of: fc.array(member, { maxLength: 4 }),
  })
}

const shown = (filter: JsonObject): Group => {
  const read = modelOf(filter)
  if (!read.isShown) throw new Error(read.why)
  return read.model
}

/** As the API reads it. */
const viaText = (filter: JsonObject) => JSON.parse(JSON.stringify(filter)) as JsonObject

describe('a model', () => {
  it('is what its filter shows', () => {
    fc.assert(
      fc.property(groupOf(mostLevels), (model) => {
        expect(shown(viaText(filterOf(model)))).toEqual(model)
      }),
      { numRuns: 500 },
    )
  })

  it('becomes a filter that the API does not find too deep', () => {
    const depthOf = (json: unknown): number => {
      if (typeof json !== 'object' || json === null) return 0
      const inner = Math.max(0, ...Object.values(json).map(depthOf))
      return Array.isArray(json) ? inner : inner + 1
    }
    fc.assert(
      fc.property(groupOf(mostLevels), (model) => {
        // A test of a column is an object too, which the API does not count.
        expect(depthOf(filterOf(model))).toBeLessThanOrEqual(10 + 1)
      }),
    )
  })
})

it.each<[Group['kind'], Member[], JsonObject]>([
  ['all', [], {}],
  ['all', [is('a', 1), is('b', 2)], { a: 1, b: 2 }],
  ['all', [has('a', 'gte', 1), has('a', 'lt', 5)], { a: { gte: 1, lt: 5 } }],
  ['all', [is('a', 1), has('a', 'lt', 5)], { a: { eq: 1, lt: 5 } }],
  ['all', [is('a', 1), { kind: 'any', of: [is('b', 2)] }], { a: 1, or: [{ b: 2 }] }],
  ['all', [has('a', 'gt', 1), has('a', 'gt', 5)], { and: [{ a: { gt: 1 } }, { a: { gt: 5 } }] }],
  [
    'all',
    [is('a', 1), is('b', 1), has('a', 'lt', 5)],
    { and: [{ a: 1 }, { b: 1 }, { a: { lt: 5 } }] },
  ],
  ['all', [is('a', 1), is('0', 1)], { and: [{ a: 1 }, { 0: 1 }] }],
  ['any', [is('a', 1)], { or: [{ a: 1 }] }],
  ['all', [{ kind: 'any', of: [is('a', 1)] }], { and: [{ or: [{ a: 1 }] }] }],
  ['any', [{ kind: 'all', of: [is('a', 1), is('b', 1)] }], { or: [{ a: 1, b: 1 }] }],
  ['notAll', [is('a', 1), is('b', 1)], { not: { a: 1, b: 1 } }],
  ['none', [is('a', 1), is('b', 1)], { not: { or: [{ a: 1 }, { b: 1 }] } }],
])('writes %s of %j as plainly as it can', (kind, of, filter) => {
  expect(filterOf({ kind, of })).toEqual(filter)
  expect(Object.keys(filterOf({ kind, of }))).toEqual(Object.keys(filter))
  expect(shown(filter)).toEqual({ kind, of })
})

function is(name: string, operand: Scalar): Member {
  return { kind: 'row', field: name, operator: 'eq', operand }
}
function has(name: string, operator: 'gt' | 'gte' | 'lt', operand: Scalar): Member {
  return { kind: 'row', field: name, operator, operand }
}

it.each(['and', 'or', 'not', 'changed'])('lets the API refuse a column named %s', (name) => {
  expect(filterOf({ kind: 'all', of: [has(name, 'gt', 5)] })).toEqual({ [name]: null })
})

it('writes nothing for a filter without a condition', () => {
  expect(textOf({ kind: 'all', of: [] })).toBe('')
})

/** Filters as people write them, in more ways than the form does. */
const written: fc.Arbitrary<JsonObject> = fc.letrec<{ filter: JsonObject }>((tie) => ({
  filter: fc
    .uniqueArray(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.tuple(fc.constantFrom('a', 'b'), fc.oneof(scalar, tests())),
        fc.tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { maxLength: 3 })),
        fc.tuple(fc.constant('not'), tie('filter')),
        fc.tuple(fc.constant('changed'), fc.constant(['a'])),
      ),
      { selector: ([key]) => key, maxLength: 4 },
    )
    .map((entries) => Object.fromEntries(entries)),
})).filter

function tests(): fc.Arbitrary<JsonObject> {
  const operators = fc.uniqueArray(fc.constantFrom('eq', 'gt', 'lt'), { minLength: 1 })
  return operators.map((all) => Object.fromEntries(all.map((operator) => [operator, 1])))
}

/** Evaluates a filter, given which of its tests hold. */
function holds(filter: JsonObject, truth: ReadonlySet<string>): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === 'and') return (value as JsonObject[]).every((one) => holds(one, truth))
    if (key === 'or') return (value as JsonObject[]).some((one) => holds(one, truth))
    if (key === 'not') return !holds(value as JsonObject, truth)
    const isTested = typeof value === 'object' && value !== null && !Array.isArray(value)
    const all = Object.entries(isTested ? value : { eq: value })
    return all.every((test) => truth.has(JSON.stringify([key, test])))
  })
}

const testIn = (filter: unknown): string[] => {
  if (Array.isArray(filter)) return filter.flatMap(testIn)
  return Object.entries(filter as JsonObject).flatMap(([key, value]) => {
    if (['and', 'or', 'not'].includes(key)) return testIn(value)
    const isTested = typeof value === 'object' && value !== null && !Array.isArray(value)
    return Object.entries(isTested ? value : { eq: value }).map((test) =>
      JSON.stringify([key, test]),
    )
  })
}

describe('a filter that the form shows', () => {
  it('keeps its meaning', () => {
    const filterAndTruth = written.chain((filter) =>
      fc.tuple(
        fc.constant(filter),
        fc.subarray(testIn(filter)).map((all) => new Set(all)),
      ),
    )
    let count = 0
    fc.assert(
      fc.property(filterAndTruth, ([filter, truth]) => {
        const read = modelOf(filter)
        if (!read.isShown) return
        count += 1
        expect(holds(filterOf(read.model), truth)).toBe(holds(filter, truth))
      }),
      { numRuns: 500 },
    )
    expect(count).toBeGreaterThan(200)
  })
})

describe('the form', () => {
  it.each<[JsonObject, string]>([
    [{ a: { near: 1 } }, '“a.near” is an operator that the form does not know.'],
    [{ a: {} }, '“a” has no operator.'],
    [{ a: [1] }, '“a” has a value that the form cannot keep exactly.'],
    [{ a: { in: 'x' } }, '“a.in” has a value that the form cannot keep exactly.'],
    [{ a: { in: [{}] } }, '“a.in” has a value that the form cannot keep exactly.'],
    [{ a: { exists: 1 } }, '“a.exists” has a value that the form cannot keep exactly.'],
    [{ a: 2 ** 53 }, '“a” has a value that the form cannot keep exactly.'],
    [{ or: [{ and: {} }] }, '“or.0.and” must be a list of filters.'],
    [{ or: [1] }, '“or.0” must be an object.'],
    [{ changed: 'a' }, '“changed” must be a list of columns.'],
    [
      { or: [{ not: { or: [{ not: { or: [{ not: { not: {} } }] } }] } }] },
      '“or.0.not.or.0.not.or.0.not.not” is more than 4 groups deep.',
    ],
  ])('says why it does not show %j', (filter, why) => {
    expect(modelOf(filter)).toEqual({ isShown: false, why })
  })

  it('reads any JSON object without a failure', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (filter) => {
        const read = modelOf(filter)
        if (!read.isShown) expect(read.why).not.toBe('')
      }),
    )
  })
})
