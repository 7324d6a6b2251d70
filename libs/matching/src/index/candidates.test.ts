import { describe, expect, test } from '@jest/globals'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { type Subscription, toSubscription } from '../subscription.ts'
import { Candidates } from './candidates.ts'

/** Candidates that count how many filters were evaluated. */
type CountedCandidates = { candidates: Candidates; asked: () => number; all: Subscription[] }

/** Creates `count` subscriptions of one table. `filterOf` returns the filter of the n-th. */
function counting(count: number, filterOf: (n: number) => object): CountedCandidates {
  const candidates = new Candidates()
  let asked = 0
  const all = Array.from({ length: count }, (_, n) => {
    const state = aSubscription({ id: `s${n}`, filter: JSON.stringify(filterOf(n)) })
    const made = toSubscription(state, null)
    const { matches } = made
    if (matches === null) return made
    const counted: typeof matches = (...given) => {
      asked += 1
      return matches(...given)
    }
    return { ...made, matches: counted }
  })
  for (const subscription of all) candidates.add(subscription)
  return { candidates, asked: () => asked, all }
}

function found({ candidates }: CountedCandidates, record: Record<string, unknown>): string[] {
  const ids: string[] = []
  candidates.each(record, [], ({ id }) => ids.push(id))
  return ids.toSorted()
}

const many = 10_000
const three = (n: number) => n % Math.ceil(many / 3)

describe('among 10,000 subscriptions only filters that match are evaluated', () => {
  test.each<[string, (n: number) => object, Record<string, unknown>, number]>([
    ['an equality', (n) => ({ customer: `c${three(n)}` }), { customer: 'c5' }, 0],
    [
      'an equality and more',
      (n) => ({ total: { gt: 1 }, customer: three(n) }),
      { customer: 5, total: 2 },
      3,
    ],
    ['a path', (n) => ({ 'customer.id': three(n) }), { customer: { id: 5 } }, 0],
    ['a list', (n) => ({ customer: { in: [`a${n}`, `c${three(n)}`] } }), { customer: 'c5' }, 0],
    ['a lower bound', (n) => ({ total: { gte: n } }), { total: 2 }, 0],
    ['a lower bound of decimals', (n) => ({ total: { gt: n } }), { total: '2.5' }, 0],
    ['an upper bound', (n) => ({ total: { lt: n } }), { total: many - 4 }, 0],
    ['a bound of text', (n) => ({ day: { lte: String(n + many) } }), { day: '19997' }, 0],
    [
      'a bound and more',
      (n) => ({ total: { gt: n }, status: { ne: 'draft' } }),
      { total: 3, status: 'paid' },
      3,
    ],
  ])('by %s', (_what, filterOf, record, asked) => {
    const counted = counting(many, filterOf)
    expect(found(counted, record)).toHaveLength(3)
    expect(counted.asked()).toBe(asked)
  })

  test('equal filters are evaluated once', () => {
    const counted = counting(many, (n) => ({ note: { contains: `word ${n % 10}` } }))
    expect(found(counted, { note: 'the word 7' })).toHaveLength(many / 10)
    expect(counted.asked()).toBe(10)
  })
})

test('is empty after all are removed in any order', () => {
  const filters = [{ a: 1 }, { a: { in: [1, '1', 'x'] } }, { a: { gt: 1 } }, { a: { lt: 'x' } }]
  const others = [{ 'a.b': { lte: 2 } }, { a: { ne: 1 } }, {}]
  const all = [...filters, ...others]
  const counted = counting(40, (n) => all[n % all.length] ?? {})
  const left = counted.all.map((subscription, n) => {
    const isLast = n === counted.all.length - 1
    expect(found(counted, { a: 1 })).toEqual(
      found(
        counting(40 - n, (m) => all[(m + n) % all.length] ?? {}),
        { a: 1 },
      )
        .map((id) => `s${Number(id.slice(1)) + n}`)
        .toSorted(),
    )
    return counted.candidates.remove(subscription) !== isLast
  })
  expect(left).not.toContain(false)
})
