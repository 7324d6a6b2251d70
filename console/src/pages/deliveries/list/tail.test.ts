import { expect, it } from '@jest/globals'
import type { FoundDelivery } from '@surehook/client'
import {
  arrived,
  asked,
  caughtUp,
  drawn,
  kept,
  newerThan,
  pauseMs,
  statusText,
  tailOf,
} from './tail.ts'

/** Row n was made n milliseconds after the first. */
const row = (n: number, status = 'delivered') =>
  ({
    id: `id-${String(n).padStart(6, '0')}`,
    createdAt: new Date(1_700_000_000_000 + n).toISOString(),
    status,
  }) as FoundDelivery

/** The rows from `last` down to `first`, newest first. */
const rows = (last: number, first: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => row(last - n))

const read = (deliveries: readonly FoundDelivery[], nextCursor: string | null = null) => ({
  deliveries,
  nextCursor,
})

const ids = (list: readonly FoundDelivery[]) => list.map(({ id }) => Number(id.slice(3)))

function settled(tail: ReturnType<typeof tailOf>) {
  let [before, drawings] = [tail, 0]
  for (;;) {
    const after = drawn(before, false)
    if (after === before) return { tail: after, drawings }
    before = after
    drawings += 1
  }
}

it('draws new rows at the top, some in each drawing, the oldest first', () => {
  const tail = arrived(tailOf(rows(5, 1)), read(rows(100, 1)))
  const first = drawn(tail, false)
  expect(ids(first.shown)).toEqual(ids(rows(55, 1)))
  expect(settled(tail)).toMatchObject({ drawings: 2, tail: { shown: rows(100, 1), newer: 0 } })
})

it('keeps a bounded number of rows', () => {
  const filled = settled(arrived(tailOf([]), read(rows(asked, 1)))).tail
  const { tail } = settled(arrived(filled, read(rows(asked + 200, 201), 'c')))
  expect(ids(tail.shown)).toEqual(ids(rows(asked + 200, asked + 200 - kept + 1)))
})

it('puts a row that was written late in its place', () => {
  const tail = arrived(tailOf([row(3), row(1)]), read([row(3), row(2), row(1)]))
  expect(ids(settled(tail).tail.shown)).toEqual([3, 2, 1])
})

it('moves no row that is read, and counts what came', () => {
  const first = drawn(arrived(tailOf(rows(5, 1)), read(rows(8, 1))), true)
  expect(first).toMatchObject({ shown: rows(5, 1), newer: 3, isHeld: true })
  const second = drawn(arrived(first, read(rows(10, 1))), true)
  expect(second).toMatchObject({ shown: rows(5, 1), newer: 5, isMore: false })
  expect(drawn(second, true)).toBe(second)
  expect(caughtUp(second)).toMatchObject({ shown: rows(10, 1), newer: 0, isHeld: false })
})

it('says that more came than it saw', () => {
  const tail = drawn(arrived(tailOf(rows(5, 1)), read(rows(2_000, 2_001 - asked), 'c')), true)
  expect(tail).toMatchObject({ newer: asked, isMore: true })
})

it('goes on where it stood once nobody reads', () => {
  const held = drawn(arrived(tailOf(rows(5, 1)), read(rows(8, 1))), true)
  expect(settled(held).tail).toMatchObject({ shown: rows(8, 1), newer: 0, isHeld: false })
  const idle = drawn(tailOf(rows(5, 1)), true)
  expect(settled(idle).tail.isHeld).toBe(false)
})

it('changes rows where they are, and draws only those again', () => {
  const before = tailOf([row(2, 'pending'), row(1)])
  const after = drawn(arrived(before, read([row(2), row(1)])), true)
  expect(after.shown).toEqual([row(2), row(1)])
  expect(after.shown[1]).toBe(before.shown[1])
})

it('drops a row that no longer matches the filters, unless it is read', () => {
  const tail = arrived(tailOf(rows(3, 1)), read([row(3), row(1)]))
  expect(ids(drawn(tail, true).shown)).toEqual([3, 2, 1])
  expect(ids(drawn(tail, false).shown)).toEqual([3, 1])
})

it('keeps older rows than a search reached', () => {
  const some = settled(arrived(tailOf(rows(4, 1)), read([row(5), row(4), row(3)], 'c'))).tail
  expect(ids(some.shown)).toEqual([5, 4, 3, 2, 1])
})

it('keeps no row when a reading finds none', () => {
  for (const nextCursor of [null, 'c']) {
    expect(settled(arrived(tailOf(rows(2, 1)), read([], nextCursor))).tail.shown).toEqual([])
  }
})

it('counts the rows before the first one, also once that one no longer matches', () => {
  expect(newerThan(row(3), rows(5, 1))).toBe(2)
  expect(newerThan(row(3), [row(5), row(2), row(1)])).toBe(1)
  expect(newerThan(row(3), rows(2, 1))).toBe(0)
  expect(newerThan(undefined, rows(2, 1))).toBe(2)
})

it('waits longer after each failure', () => {
  expect([0, 1, 2, 10].map(pauseMs)).toEqual([1_000, 2_000, 4_000, 30_000])
})

it('tells a screen reader the state, and no number', () => {
  const said = [
    { isHeld: false, isFailing: false },
    { isHeld: true, isFailing: false },
    { isHeld: true, isFailing: true },
  ].map(statusText)
  expect(new Set(said).size).toBe(3)
  expect(said.join()).not.toMatch(/\d/)
})
