import { describe, expect, test } from '@jest/globals'
import { Candidates, filterEvaluation } from './candidates.ts'

/** Creates `count` subscriptions of one table. `filterOf` returns the filter of the n-th. */
function candidatesOf(count: number, filterOf: (n: number) => object): Candidates {
  const candidates = new Candidates()
  for (let n = 0; n < count; n++) candidates.add(n, JSON.stringify(filterOf(n)))
  return candidates
}

/** The rows that may match a record, and how many filters were evaluated to find them. */
function found(candidates: Candidates, record: Record<string, unknown>) {
  const rows = new Set<number>()
  const passes = filterEvaluation(record, [])
  const evaluated = new Set<string | null>()
  const counting = (filter: string | null) => {
    evaluated.add(filter)
    return passes(filter)
  }
  candidates.each(record, counting, (row) => rows.add(row))
  return { rows: [...rows].toSorted((a, b) => a - b), evaluated: evaluated.size }
}

const many = 10_000
const three = (n: number) => n % Math.ceil(many / 3)

describe('among 10,000 subscriptions only those that match are found, without evaluating filters', () => {
  test.each<[string, (n: number) => object, Record<string, unknown>]>([
    ['an equality', (n) => ({ customer: `c${three(n)}` }), { customer: 'c5' }],
    [
      'an equality and more',
      (n) => ({ total: { gt: 1 }, customer: three(n) }),
      { customer: 5, total: 2 },
    ],
    ['a path', (n) => ({ 'customer.id': three(n) }), { customer: { id: 5 } }],
    ['a list', (n) => ({ customer: { in: [`a${n}`, `c${three(n)}`] } }), { customer: 'c5' }],
    ['a lower bound', (n) => ({ total: { gte: n } }), { total: 2 }],
    ['a lower bound of decimals', (n) => ({ total: { gt: n } }), { total: '2.5' }],
    ['an upper bound', (n) => ({ total: { lt: n } }), { total: many - 4 }],
    ['a bound of text', (n) => ({ day: { lte: String(n + many) } }), { day: '19997' }],
    [
      'a bound and more',
      (n) => ({ total: { gt: n }, status: { ne: 'draft' } }),
      { total: 3, status: 'paid' },
    ],
  ])('by %s', (_what, filterOf, record) => {
    const { rows, evaluated } = found(candidatesOf(many, filterOf), record)
    expect([rows.length, evaluated]).toEqual([3, 0])
  })

  test('equal filters are evaluated once', () => {
    const candidates = candidatesOf(many, (n) => ({ note: { contains: `word ${n % 10}` } }))
    const { rows, evaluated } = found(candidates, { note: 'the word 7' })
    expect([rows.length, evaluated]).toEqual([many / 10, 10])
  })
})

test('is empty after all are removed in any order', () => {
  const filters = [{ a: 1 }, { a: { in: [1, '1', 'x'] } }, { a: { gt: 1 } }, { a: { lt: 'x' } }]
  const others = [{ 'a.b': { lte: 2 } }, { a: { ne: 1 } }, {}]
  const all = [...filters, ...others]
  const filterOf = (n: number) => all[n % all.length] ?? {}
  const count = 40
  const candidates = candidatesOf(count, filterOf)
  for (let n = 0; n < count; n++) {
    const rest = candidatesOf(count - n, (m) => filterOf(m + n))
    expect(found(candidates, { a: 1 }).rows).toEqual(
      found(rest, { a: 1 }).rows.map((row) => row + n),
    )
    expect(candidates.isEmpty).toBe(false)
    candidates.remove(n, JSON.stringify(filterOf(n)))
  }
  expect(candidates.isEmpty).toBe(true)
})
