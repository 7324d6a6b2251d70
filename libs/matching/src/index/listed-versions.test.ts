import { describe, expect, test } from '@jest/globals'
import { changeOperations, type SubscriptionState } from '@surehook/contracts/events'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import { formatWalPosition } from '@surehook/contracts/wal-position'
import fc from 'fast-check'
import { SubscriptionIndex } from './subscription-index.ts'

const lsn = (n: number): string => formatWalPosition({ systemId: '7412', timeline: '1' }, BigInt(n))

/** Each transaction takes 10 bytes of the WAL: its version begins at 3, its commit is at 6. */
const beginOf = (n: number) => n * 10 + 3
const commitOf = (n: number) => n * 10 + 6

type Criteria = Pick<SubscriptionState, 'active' | 'table' | 'events' | 'filter' | 'select'>

/** Some share a value or a list of bounds. */
const filters = [
  '{"a":1}',
  '{"a":{"in":[1,2]}}',
  '{"a":{"gt":1}}',
  '{"a":{"gt":0}}',
  '{"not":{"a":1}}',
]

const criteria: fc.Arbitrary<Criteria> = fc.record({
  active: fc.boolean(),
  table: fc.constantFrom('orders', 'items'),
  events: fc.subarray([...changeOperations], { minLength: 1 }),
  filter: fc.constantFrom(null, ...filters),
  select: fc.constantFrom(null, ['a'], ['b']),
})

/** The states that webhook-api emits for these changes of one subscription. */
function statesOf(id: string, all: readonly Criteria[], keep = 20): SubscriptionState[] {
  const createdAt = new Date(0).toISOString()
  const versions: SubscriptionState['versions'] = []
  return all.map((wanted, n) => {
    const updatedAt = new Date(n * 1_000).toISOString()
    versions.push({ ...wanted, walPosition: lsn(beginOf(n)), updatedAt })
    return aSubscription({
      ...{ id, createdAt, updatedAt, ...wanted, versions: versions.slice(-keep) },
      url: `https://receiver.example/${n % 3}`,
    })
  })
}

/** What becomes of a change at a position: the deliveries' subscriptions, selections and URLs. */
function outcomeAt(index: SubscriptionIndex, n: number): unknown[] {
  return changeOperations.flatMap((operation) =>
    ['orders', 'items'].flatMap((table) =>
      [1, 2].map((a) => {
        const event = aChange({ operation, table, record: JSON.stringify({ a }) })
        const found = index.match({ event, record: { a }, walPosition: lsn(n), loggedAt: 0 })
        return found.map(({ id, selectKey, url }) => `${id} ${selectKey} ${url}`).toSorted()
      }),
    ),
  )
}

function indexOf(states: readonly SubscriptionState[]): SubscriptionIndex {
  const index = new SubscriptionIndex()
  for (const [n, state] of states.entries()) index.apply(state.id, state, lsn(commitOf(n)))
  return index
}

describe('a state that lists its versions', () => {
  test('tells a matcher that starts what all states before it told, at any position', () => {
    const history = fc.array(criteria, { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(history, (all) => {
        const states = statesOf('s', all)
        // One has all unpacked, the other none.
        const started = new SubscriptionIndex(undefined, undefined, 0)
        const ran = indexOf(states)
        started.apply('s', states.at(-1) ?? null, lsn(commitOf(all.length - 1)))
        expect([started.size, started.replaced]).toEqual([ran.size, ran.replaced])
        for (let at = 0; at < (all.length + 1) * 10; at++) {
          expect(outcomeAt(started, at)).toEqual(outcomeAt(ran, at))
        }
      }),
      { numRuns: 100 },
    )
  })

  test('decides a change by the version that was in force before its PATCH or after its answer', () => {
    fc.assert(
      fc.property(fc.array(criteria, { minLength: 1, maxLength: 15 }), (all) => {
        const states = statesOf('s', all)
        const index = new SubscriptionIndex(undefined, undefined, 0)
        index.apply('s', states.at(-1) ?? null, lsn(commitOf(all.length - 1)))
        const newest = states.at(-1)?.url ?? ''
        for (const n of [-1, ...all.keys()]) {
          const truth = new SubscriptionIndex()
          const wanted = all[n]
          const state = wanted && aSubscription({ id: 's', ...wanted, url: newest })
          truth.apply('s', state ?? null)
          const expected = outcomeAt(truth, 0)
          // The answer of this one, and the beginning of the next one.
          for (const at of [commitOf(n) + 1, (n + 1) * 10]) {
            if (at >= 0) expect(outcomeAt(index, at)).toEqual(expected)
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  test('covers earlier changes with its oldest version, unless the subscription began with it', () => {
    const all = Array.from({ length: 25 }, (_, n) => ({
      ...{ active: true, table: 'orders', events: [...changeOperations], filter: null },
      select: [`${n}`],
    }))
    const selectAt = (index: SubscriptionIndex, n: number) => {
      const event = aChange()
      const change = { event, record: JSON.parse(event.record), walPosition: lsn(n), loggedAt: 0 }
      return index.match(change).map(({ selectKey }) => selectKey)
    }
    const dropped = indexOf(statesOf('s', all))
    expect([selectAt(dropped, 0), selectAt(dropped, commitOf(7))]).toEqual([['["5"]'], ['["7"]']])
    const complete = indexOf(statesOf('s', all.slice(0, 3)))
    expect([selectAt(complete, 0), selectAt(complete, commitOf(0))]).toEqual([[], ['["0"]']])
  })

  test('is followed by a state of an older webhook-api, which lists none', () => {
    const made = { active: true, table: 'orders', events: [...changeOperations], filter: null }
    const [first, second] = statesOf('s', [
      { ...made, select: ['a'] },
      { ...made, select: ['b'] },
    ])
    if (first === undefined || second === undefined) throw new Error('no states')
    const older = { ...second, select: ['c'], versions: [], updatedAt: 'later' }
    const index = indexOf([first, second, older])
    const event = aChange()
    const found = [beginOf(0), beginOf(1), commitOf(2)].map((n) => {
      const change = { event, record: JSON.parse(event.record), walPosition: lsn(n), loggedAt: 0 }
      return index.match(change).map(({ selectKey }) => selectKey)
    })
    expect(found).toEqual([['["a"]'], ['["b"]'], ['["c"]']])
  })

  test('covers changes of a dropped version although the oldest one kept is inactive', () => {
    const anything = { table: 'orders', events: ['INSERT' as const], filter: null, select: null }
    const all = [true, true, false, true].map((active) => ({ ...anything, active }))
    const index = indexOf(statesOf('s', all, 2).slice(-1))
    expect([1, 2, 3].map((n) => outcomeAt(index, commitOf(n) + 1).flat().length > 0)).toEqual([
      true,
      false,
      true,
    ])
  })

  test('has the selection of its newest state, also if the version has not changed', () => {
    const [state] = statesOf('s', [
      { active: true, table: 'orders', events: ['INSERT'], filter: null, select: ['a', 'b'] },
    ])
    if (state === undefined) throw new Error('no state')
    const versions = state.versions.map((version) => ({ ...version, select: ['a'] }))
    const index = indexOf([state, { ...state, select: ['a'], versions }])
    expect(outcomeAt(index, 100).flat()[0]).toContain('["a"]')
  })

  test('is not held back by a replaced version that cannot be read', () => {
    const anything = { active: true, table: 'orders', events: ['INSERT' as const], select: null }
    const all = [
      { ...anything, filter: '{"a":{"unknown":1}}' },
      { ...anything, filter: null },
    ]
    const index = indexOf(statesOf('s', all).slice(-1))
    expect(outcomeAt(index, 100).flat()).toHaveLength(2)
  })
})
