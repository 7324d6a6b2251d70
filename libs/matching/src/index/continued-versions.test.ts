import { describe, expect, test } from '@jest/globals'
import {
  type DeliveryPolicy,
  defaultPolicy,
  type SubscriptionState,
} from '@surehook/contracts/events'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import { formatWalPosition } from '@surehook/contracts/wal-position'
import fc from 'fast-check'
import { SubscriptionIndex } from './subscription-index.ts'

/** WAL position of the n-th commit in a cluster. */
const commit = (n: number, systemId = '7412'): string =>
  formatWalPosition({ systemId, timeline: '1' }, BigInt(n))

const created = { id: 's', createdAt: 'then', updatedAt: 'then' }
const stateOf = (state: Partial<SubscriptionState> = {}) => aSubscription({ ...created, ...state })
const policyOf = (n: number): DeliveryPolicy => ({ ...defaultPolicy, concurrency: n })

/** The selections of the versions that match a change committed at the position. */
function selectsAt(index: SubscriptionIndex, walPosition: string | null): string[] {
  const event = aChange()
  const change = { event, record: JSON.parse(event.record), walPosition, loggedAt: 0 }
  return index.match(change).map(({ selectKey }) => selectKey)
}

describe('a state that changes nothing that matching depends on', () => {
  test('displaces no older version', () => {
    const index = new SubscriptionIndex()
    index.apply('s', stateOf({ active: false }), commit(10))
    index.apply('s', stateOf({ select: ['old'] }), commit(20))
    for (let n = 30; n <= 60; n++) {
      const state = { select: ['new'], updatedAt: String(n), policy: policyOf(n) }
      index.apply('s', stateOf(state), commit(n))
    }
    expect([index.size, index.replaced]).toEqual([1, 1])
    expect([11, 21, 29, 30, 45, 61].map((n) => selectsAt(index, commit(n)))).toEqual([
      [],
      ['["old"]'],
      ['["old"]'],
      ['["new"]'],
      ['["new"]'],
      ['["new"]'],
    ])
  })

  test.each<[string, Partial<SubscriptionState>]>([
    ['table', { table: 'items' }],
    ['events', { events: ['INSERT'] }],
    ['filter', { filter: '{"amount":{"gt":1},"status":"paid"}' }],
    ['select', { select: ['id'] }],
    ['environment', { environment: 'other' }],
    ['active', { active: false }],
  ])('is not one that changes %s', (_what, state) => {
    const index = new SubscriptionIndex()
    const filter = '{"amount":{"gt":2},"status":"paid"}'
    index.apply('s', stateOf({ filter }), commit(10))
    index.apply('s', stateOf({ filter, ...state }), commit(20))
    expect(index.replaced).toBe(1)
  })

  test('has a version of its own if its position has no order with the present one', () => {
    const index = new SubscriptionIndex()
    index.apply('s', stateOf(), commit(10))
    index.apply('s', stateOf(), commit(5, '99'))
    expect(index.replaced).toBe(1)
    // A change of another cluster meets the newest version, even if it is earlier than the first.
    expect(selectsAt(index, commit(9))).toEqual([''])
  })

  test('leaves each change with the state that applied at its commit, in any history', () => {
    const step = fc.record({
      active: fc.boolean(),
      select: fc.constantFrom<string[]>(['a'], ['b']),
      concurrency: fc.nat(3),
    })
    const history = fc.array(fc.option(step, { freq: 6 }), { minLength: 1, maxLength: 15 })
    fc.assert(
      fc.property(history, (steps) => {
        const index = new SubscriptionIndex()
        for (const [n, one] of steps.entries()) {
          const state = one && stateOf({ ...one, policy: policyOf(one.concurrency) })
          index.apply('s', state, commit(n * 10))
        }
        const expected = steps.map((state) =>
          state?.active === true ? [JSON.stringify(state.select)] : [],
        )
        const found = steps.map((_, n) =>
          [n * 10, n * 10 + 9].map((at) => selectsAt(index, commit(at))),
        )
        expect(found).toEqual(expected.map((selects) => [selects, selects]))
        const newest = expected.at(-1)
        expect([selectsAt(index, null), selectsAt(index, commit(1, '99'))]).toEqual([
          newest,
          newest,
        ])
      }),
      { numRuns: 300 },
    )
  })
})
