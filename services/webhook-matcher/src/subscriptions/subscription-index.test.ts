import { describe, expect, test } from '@jest/globals'
import { UndecodableError } from '@surehook/contracts/codec'
import {
  type ChangeEvent,
  changeOperations,
  type SubscriptionState,
} from '@surehook/contracts/events'
import { compileFilter } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import fc from 'fast-check'
import { aChange, aSubscription } from '../../test/support/samples.ts'
import type { Change } from '../changes/read-change.ts'
import { SubscriptionIndex } from './subscription-index.ts'

const changeOf = (event: Partial<ChangeEvent>): Change => {
  const full = aChange(event)
  return { event: full, record: JSON.parse(full.record) }
}

function indexOf(...states: Partial<SubscriptionState>[]): SubscriptionIndex {
  const index = new SubscriptionIndex()
  for (const state of states) index.apply(state.id ?? aSubscription().id, aSubscription(state))
  return index
}

const idsFor = (index: SubscriptionIndex, event: Partial<ChangeEvent>) =>
  index.match(changeOf(event)).map(({ id }) => id)

describe('SubscriptionIndex', () => {
  test.each<[string, Partial<ChangeEvent>]>([
    ['another project', { projectId: 'other' }],
    ['another environment', { environment: 'other' }],
    ['another table', { table: 'other' }],
    ['an event it does not list', { operation: 'DELETE', changedFields: [] }],
  ])('nothing matches a change of %s', (_what, event) => {
    expect(idsFor(indexOf({ events: ['INSERT', 'UPDATE'] }), event)).toEqual([])
    expect(idsFor(indexOf({ events: ['INSERT', 'UPDATE'] }), {})).toHaveLength(1)
  })

  test('names that run together are different places', () => {
    const index = indexOf({ projectId: 'a', environment: 'bc' })
    expect(idsFor(index, { projectId: 'ab', environment: 'c' })).toEqual([])
  })

  test('takes the newest state of a subscription', () => {
    const index = indexOf({ id: 's', filter: '{"status":"open"}' })
    expect(idsFor(index, {})).toEqual([])
    index.apply('s', aSubscription({ id: 's', filter: '{"status":"paid"}' }))
    expect(idsFor(index, {})).toEqual(['s'])
    index.apply('s', aSubscription({ id: 's', active: false }))
    expect([idsFor(index, {}), index.size]).toEqual([[], 0])
    index.apply('s', aSubscription({ id: 's' }))
    index.apply('s', null)
    expect([idsFor(index, {}), index.size]).toEqual([[], 0])
    index.apply('never known', null)
    expect(index.size).toBe(0)
  })

  test.each(['{"status":', '{"status":{"gtx":1}}', '[]'])('refuses the filter %s', (filter) => {
    const index = indexOf({ id: 's' })
    expect(() => index.apply('s', aSubscription({ id: 's', filter }))).toThrow(UndecodableError)
    expect(idsFor(index, {})).toEqual(['s'])
  })

  test('refuses a state at the key of another', () => {
    expect(() => new SubscriptionIndex().apply('other', aSubscription())).toThrow(UndecodableError)
  })

  test('finds what asking every subscription finds, whatever came before', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.array(change, { minLength: 5, maxLength: 20 }),
        (steps, changes) => {
          const index = new SubscriptionIndex()
          const states = new Map<string, SubscriptionState>()
          for (const { id, state } of steps) {
            index.apply(id, state)
            if (state?.active === true) states.set(id, state)
            else states.delete(id)
          }
          expect(index.size).toBe(states.size)
          for (const one of changes) {
            const found = index.match(one).map(({ id }) => id)
            const expected = [...states.values()].filter((state) => isMatch(state, one))
            expect(found.toSorted(byText)).toEqual(expected.map(({ id }) => id).toSorted(byText))
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

const byText = (a: string, b: string) => (a < b ? -1 : 1)

function isMatch(state: SubscriptionState, { event, record }: Change): boolean {
  if (state.table !== event.table || !state.events.includes(event.operation)) return false
  const parsed = parseFilter(JSON.parse(state.filter ?? '{}'))
  return parsed.ok && compileFilter(parsed.filter)(record, event.changedFields)
}

const value = fc.constantFrom<unknown>(1, '1', '1.0', 'a', true, null)
const field = fc.constantFrom('a', 'b')
const table = fc.constantFrom('orders', 'items')
const filter = fc.oneof(
  fc.constant(null),
  fc.tuple(field, value).map(([name, wanted]) => ({ [name]: wanted })),
  fc
    .tuple(field, value, value)
    .map(([name, wanted, other]) => ({ [name]: wanted, b: { ne: other } })),
  fc.tuple(field, value).map(([name, wanted]) => ({ not: { [name]: wanted } })),
  fc.constant({ changed: ['a'] }),
)
const step = fc
  .record({
    id: fc.nat(9).map((id) => `s${id}`),
    isDeleted: fc.boolean(),
    active: fc.boolean(),
    table,
    events: fc.subarray([...changeOperations], { minLength: 1 }),
    filter,
  })
  .map(({ id, isDeleted, filter: json, ...state }) => ({
    id,
    state: isDeleted
      ? null
      : aSubscription({ id, ...state, filter: json === null ? null : JSON.stringify(json) }),
  }))
const change: fc.Arbitrary<Change> = fc
  .record({
    table,
    operation: fc.constantFrom(...changeOperations),
    record: fc.dictionary(field, value).map((record) => JSON.stringify(record)),
  })
  .map((event) => changeOf({ ...event, changedFields: event.operation === 'UPDATE' ? ['a'] : [] }))
