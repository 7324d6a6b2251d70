import { describe, expect, test } from '@jest/globals'
import {
  type ChangeEvent,
  changeOperations,
  type SubscriptionState,
} from '@surehook/contracts/events'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import { formatWalPosition } from '@surehook/contracts/wal-position'
import { UndecodableError } from '@surehook/schemas/codec'
import fc from 'fast-check'
import type { Change } from '../read-change.ts'
import { SubscriptionIndex } from './subscription-index.ts'

/** Some share a value or a list of bounds. */
const filters = [
  '{"a":1}',
  '{"a":{"in":[1,2]}}',
  '{"a":{"gt":1}}',
  '{"a":{"gt":0}}',
  '{"not":{"a":1}}',
]

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

describe('packed subscriptions', () => {
  test('has the same of a subscription that it unpacks', () => {
    const position = fc.oneof(
      fc.constantFrom(null, '', '/', 'no position', 'a/b/0'),
      fc.nat().map(commit),
    )
    const made = fc.record({
      id: fc.string({ minLength: 1 }).filter((id) => !id.includes('\0')),
      url: fc.webUrl({ withFragments: true }),
      filter: fc.constantFrom(null, '{}', '{"note":"é 🙂"}'),
      select: fc.option(fc.uniqueArray(fc.string(), { maxLength: 3 })),
      events: fc.subarray([...changeOperations], { minLength: 1 }),
    })
    fc.assert(
      fc.property(made, position, (of, from) => {
        const state = aSubscription({ ...of, createdAt: 'then', updatedAt: 'then' })
        const changed = { operation: of.events[0] ?? 'INSERT', record: '{"note":"é 🙂"}' }
        const found = [0, 1].map((unpacked) => {
          const index = new SubscriptionIndex(undefined, undefined, unpacked)
          index.apply(of.id, state, from)
          return index.match(changeOf(changed))
        })
        expect(found[0]).toHaveLength(1)
        expect(found[0]).toEqual(found[1])
      }),
    )
  })

  test('matches the same after any history, however many stay unpacked', () => {
    const criteria = fc.record({
      active: fc.boolean(),
      events: fc.subarray([...changeOperations], { minLength: 1 }),
      filter: fc.constantFrom(null, ...filters),
      select: fc.constantFrom<string[] | null>(null, ['a'], []),
    })
    const step = fc.record({
      ...{
        n: fc.nat(4),
        url: fc.nat(2),
        isDeleted: fc.boolean(),
        isListed: fc.boolean(),
        criteria,
      },
    })
    const history = fc.array(step, { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(history, (steps) => {
        const indexes = [0, 1, 20_000].map((n) => new SubscriptionIndex(undefined, undefined, n))
        const lists = new Map<string, SubscriptionState['versions']>()
        for (const [n, { url, isDeleted, isListed, criteria: wanted, ...of }] of steps.entries()) {
          const id = `s${of.n}`
          const tenant = { projectId: of.n % 2 === 0 ? 'shop' : 'bank', table: 'orders' }
          const version = { ...wanted, table: 'orders', walPosition: commit(10 * n + 3) }
          const versions = [...(lists.get(id) ?? []), { ...version, updatedAt: `${n}` }]
          lists.set(id, isDeleted ? [] : versions)
          const state = aSubscription({ id, ...tenant, ...wanted, updatedAt: `${n}` })
          const full = { ...state, url: `https://${url}.test/`, versions: isListed ? versions : [] }
          for (const index of indexes) index.apply(id, isDeleted ? null : full, commit(10 * n + 6))
        }
        const positions = [null, ...steps.map((_, n) => commit(10 * n + 8))]
        for (const walPosition of positions) {
          for (const projectId of ['shop', 'bank']) {
            for (const a of [1, 2]) {
              const change = changeOf({ projectId, table: 'orders', record: JSON.stringify({ a }) })
              const [none, one, all] = indexes.map((index) =>
                index.match({ ...change, walPosition }),
              )
              expect([none, one]).toEqual([all, all])
              expect(all?.every(({ place }) => place.startsWith(`${projectId}\0`))).toBe(true)
            }
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  test('unpacks a subscription only if it was not used lately', () => {
    const index = new SubscriptionIndex(undefined, undefined, 1)
    const ids = ['a', 'b', 'c']
    for (const id of ids) index.apply(id, aSubscription({ id, table: id }))
    const unpackedFor = (tables: string[]) => {
      const before = index.unpacked
      for (const table of tables) expect(idsFor(index, { table })).toEqual([table])
      return index.unpacked - before
    }
    expect([unpackedFor(['b', 'c']), unpackedFor(['a', 'a']), unpackedFor(['a', 'c'])]).toEqual([
      0, 2, 0,
    ])
  })

  test.each([
    ['the id', { id: 'a\0b' }],
    ['the URL', { url: 'https://a.test/\0' }],
  ])('refuses a NUL in %s', (_what, state) => {
    expect(() => indexOf(state)).toThrow(UndecodableError)
  })

  test('takes no more memory for a subscription that changes often', () => {
    const index = new SubscriptionIndex()
    for (let n = 0; n < 20_000; n++) {
      index.apply('s', aSubscription({ id: 's', url: `https://${'a'.repeat(1_000)}.test/${n}` }))
      if (n % 500 === 0)
        index.apply(`t${n}`, aSubscription({ id: `t${n}`, url: `https://t.test/${n}` }))
    }
    expect(index.packedBytes).toBeLessThan(4 * 1024 * 1024)
    for (let n = 0; n < 20_000; n += 500) index.apply(`u${n}`, aSubscription({ id: `u${n}` }))
    const urls = index.match(changeOf({})).map(({ url }) => url)
    expect(urls.filter((url) => url.startsWith('https://t.test/'))).toHaveLength(40)
  })
})
