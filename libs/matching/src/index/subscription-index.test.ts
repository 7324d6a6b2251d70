import { describe, expect, test } from '@jest/globals'
import {
  type ChangeEvent,
  changeOperations,
  type SubscriptionState,
} from '@surehook/contracts/events'
import { compileFilter } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import { formatWalPosition } from '@surehook/contracts/wal-position'
import { UndecodableError } from '@surehook/schemas/codec'
import fc from 'fast-check'
import type { Change } from '../read-change.ts'
import { SubscriptionIndex } from './subscription-index.ts'

const changeOf = (event: Partial<ChangeEvent>): Change => {
  const full = aChange(event)
  return { event: full, record: JSON.parse(full.record), walPosition: null, loggedAt: 0 }
}

/** WAL position of the n-th commit in the test's cluster. */
const commit = (n: number): string =>
  formatWalPosition({ systemId: '7412', timeline: '1' }, BigInt(n))

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
  ])('matches no subscription for a change of %s', (_what, event) => {
    expect(idsFor(indexOf({ events: ['INSERT', 'UPDATE'] }), event)).toEqual([])
    expect(idsFor(indexOf({ events: ['INSERT', 'UPDATE'] }), {})).toHaveLength(1)
  })

  test('names with the same concatenation are different places', () => {
    const index = indexOf({ projectId: 'a', environment: 'bc' })
    expect(idsFor(index, { projectId: 'ab', environment: 'c' })).toEqual([])
  })

  test('applies the newest state of a subscription', () => {
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

  test('ends a subscription whose last state has the same commit', () => {
    const index = new SubscriptionIndex()
    index.apply('s', aSubscription({ id: 's' }), commit(10))
    index.apply('s', null, commit(10))
    expect([index.size, idsFor(index, {})]).toEqual([0, []])
  })

  test('finds the version that applied when the change was committed', () => {
    const index = new SubscriptionIndex()
    const created = { id: 's', createdAt: 'then', updatedAt: 'then' }
    const changed = { id: 's', createdAt: 'then', updatedAt: 'later' }
    index.apply('s', aSubscription(created), commit(10))
    index.apply('s', aSubscription({ ...changed, active: false }), commit(20))
    index.apply('s', aSubscription({ ...changed, filter: '{"status":"paid"}' }), commit(30))
    index.apply('s', aSubscription({ ...changed, select: ['id'] }), commit(40))
    index.apply('s', null, commit(50))
    const selectsAt = (n: number, record: object) =>
      index
        .match({ ...changeOf({ record: JSON.stringify(record) }), walPosition: commit(n) })
        .map(({ selectKey }) => selectKey)
    const selects = [9, 11, 21, 31, 41, 51].map((n) => selectsAt(n, { status: 'paid' }))
    expect(selects).toEqual([[], [''], [], [''], ['["id"]'], []])
    expect(selectsAt(31, { status: 'open' })).toEqual([])
    expect(index.match(changeOf({}))).toEqual([])
    expect([index.size, index.replaced]).toEqual([0, 3])
  })

  test('matches a change without a WAL position against the newest versions', () => {
    const index = new SubscriptionIndex()
    index.apply('s', aSubscription({ id: 's', url: 'https://old.test/' }), commit(10))
    index.apply('s', aSubscription({ id: 's', url: 'https://new.test/' }), commit(20))
    expect(index.match(changeOf({})).map(({ url }) => url)).toEqual(['https://new.test/'])
    const elsewhere = formatWalPosition({ systemId: '99', timeline: '1' }, 15n)
    const found = index.match({ ...changeOf({}), walPosition: elsewhere })
    expect(found.map(({ url }) => url)).toEqual(['https://new.test/'])
  })

  test('applies the newest state once, even if a relay repeats it', () => {
    const index = new SubscriptionIndex()
    const states = [10, 20].map((n) => ({
      state: aSubscription({ id: 's', select: [`${n}`], updatedAt: String(n) }),
      at: commit(n),
    }))
    for (const { state, at } of states.flatMap((one) => [one, one])) index.apply('s', state, at)
    const found = [11, 21].map((n) => index.match({ ...changeOf({}), walPosition: commit(n) }))
    expect(found.map((versions) => versions.map(({ selectKey }) => selectKey))).toEqual([
      ['["10"]'],
      ['["20"]'],
    ])
    expect(index.replaced).toBe(1)
  })

  test('treats the first state as older than its position, unless the subscription is new', () => {
    const index = new SubscriptionIndex()
    const state = { createdAt: 'then', updatedAt: 'later' }
    index.apply('s', aSubscription({ id: 's', ...state }), commit(20))
    index.apply('t', aSubscription({ id: 't', createdAt: 'then', updatedAt: 'then' }), commit(20))
    const found = index.match({ ...changeOf({}), walPosition: commit(10) })
    expect(found.map(({ id }) => id)).toEqual(['s'])
  })

  test('keeps 20 versions of a subscription, and misses no change for dropped ones', () => {
    const index = new SubscriptionIndex()
    for (let n = 0; n <= 30; n++) {
      const state = { id: 's', select: [`${n}`], updatedAt: String(n) }
      index.apply('s', aSubscription(state), commit(n * 10))
    }
    expect(index.replaced).toBe(19)
    const selectAt = (n: number) =>
      index.match({ ...changeOf({}), walPosition: commit(n) }).map(({ selectKey }) => selectKey)
    expect([selectAt(115), selectAt(95), selectAt(305)]).toEqual([
      ['["11"]'],
      ['["11"]'],
      ['["30"]'],
    ])
  })

  test('drops replaced versions that no change can need any more', () => {
    let now = 0
    const index = new SubscriptionIndex(() => now)
    for (let n = 1; n <= 3; n++) {
      index.apply('s', aSubscription({ id: 's', select: [`${n}`] }), commit(n * 10))
      now += 3.5 * 86_400_000
    }
    expect(index.replaced).toBe(2)
    now += 3.5 * 86_400_000
    index.apply('s', null, commit(100))
    // The version that the tombstone replaced.
    expect(index.replaced).toBe(1)
  })

  test.each(['{"status":', '{"status":{"gtx":1}}', '[]'])('refuses the filter %s', (filter) => {
    const index = indexOf({ id: 's' })
    expect(() => index.apply('s', aSubscription({ id: 's', filter }))).toThrow(UndecodableError)
    expect(idsFor(index, {})).toEqual(['s'])
  })

  test('refuses a state at the key of another', () => {
    expect(() => new SubscriptionIndex().apply('other', aSubscription())).toThrow(UndecodableError)
  })

  test('finds the same as evaluating every subscription, after any history', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.array(change, { minLength: 5, maxLength: 20 }),
        fc.constantFrom(0, 2, 20_000),
        (steps, changes, unpacked) => {
          const index = new SubscriptionIndex(undefined, undefined, unpacked)
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
      { numRuns: 500 },
    )
  })
})

const byText = (a: string, b: string) => (a < b ? -1 : 1)

function isMatch(state: SubscriptionState, { event, record }: Change): boolean {
  if (state.projectId !== event.projectId || state.environment !== event.environment) return false
  if (state.table !== event.table || !state.events.includes(event.operation)) return false
  const parsed = parseFilter(JSON.parse(state.filter ?? '{}'))
  return parsed.ok && compileFilter(parsed.filter)(record, event.changedFields)
}

const value = fc.constantFrom<unknown>(1, '1', '1.0', 'a', true, null, 0, -0, '0.5', 2, 'b', '')
const ordered = fc.constantFrom<unknown>(1, '1', 'a', 0, 0.5, -2, 'b', '')
const field = fc.constantFrom('a', 'b', 'c.d')
const table = fc.constantFrom('orders', 'items')
const tenants = [
  { projectId: 'shop', environment: 'master' },
  { projectId: 'shop', environment: 'test' },
  { projectId: 'bank', environment: 'master' },
]
const anyFilter = fc.oneof(
  fc.constant(null),
  fc.tuple(field, value).map(([name, wanted]) => ({ [name]: wanted })),
  fc
    .tuple(field, value, value)
    .map(([name, wanted, other]) => ({ [name]: wanted, b: { ne: other } })),
  fc.tuple(field, value).map(([name, wanted]) => ({ not: { [name]: wanted } })),
  fc
    .tuple(field, fc.array(value, { maxLength: 4 }), field, ordered)
    .map(([name, wanted, other, least]) => ({ [name]: { in: wanted }, [other]: { ne: least } })),
  fc.tuple(field, fc.array(value, { maxLength: 60 })).map(([name, wanted]) => ({
    [name]: { in: wanted },
  })),
  fc
    .tuple(field, fc.constantFrom('gt', 'gte', 'lt', 'lte'), ordered)
    .map(([name, op, operand]) => ({ [name]: { [op]: operand } })),
  fc
    .tuple(field, ordered, ordered)
    .map(([name, least, most]) => ({ [name]: { gte: least, lt: most } })),
  fc.constant({ changed: ['a'] }),
)
const step = fc
  .record({
    n: fc.nat(9),
    isDeleted: fc.boolean(),
    active: fc.boolean(),
    table,
    events: fc.subarray([...changeOperations], { minLength: 1 }),
    filter: anyFilter,
  })
  .map(({ n, isDeleted, filter: json, ...criteria }) => {
    const id = `s${n}`
    const filter = json === null ? null : JSON.stringify(json)
    const tenant = tenants[n % tenants.length]
    return { id, state: isDeleted ? null : aSubscription({ id, ...tenant, ...criteria, filter }) }
  })
const change: fc.Arbitrary<Change> = fc
  .record({
    tenant: fc.constantFrom(...tenants),
    table,
    operation: fc.constantFrom(...changeOperations),
    record: fc
      .record(
        { a: value, b: value, c: fc.oneof(value, fc.record({ d: value })) },
        { requiredKeys: [] },
      )
      .map((record) => JSON.stringify(record)),
  })
  .map(({ tenant, ...event }) => ({ ...tenant, ...event }))
  .map((event) => changeOf({ ...event, changedFields: event.operation === 'UPDATE' ? ['a'] : [] }))
