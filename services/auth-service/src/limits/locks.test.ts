import { expect, it } from '@jest/globals'
import { locksOf } from './locks.ts'

const at = (ms: number) => new Date(ms).toISOString()

it('shows the longest lock first, with the client that it holds for', () => {
  expect(locksOf(['c:203.0.113.7', 1_000, 'a', 3_000, 'c:2001:db8::', 2_000], 'client')).toEqual({
    lockedUntil: at(3_000),
    locks: [
      { client: null, lockedUntil: at(3_000) },
      { client: '2001:db8::', lockedUntil: at(2_000) },
      { client: '203.0.113.7', lockedUntil: at(1_000) },
    ],
  })
})

it('leaves out locks of another scope, which no login is checked against', () => {
  const reply = ['c:203.0.113.7', 1_000, 'c:*', 2_000]
  expect(locksOf(reply, 'client').locks).toEqual([
    { client: '203.0.113.7', lockedUntil: at(1_000) },
  ])
  expect(locksOf(reply, 'account')).toEqual({
    lockedUntil: at(2_000),
    locks: [{ client: null, lockedUntil: at(2_000) }],
  })
})

it('shows the locks of clients that the user has logged in from, in each scope', () => {
  const lock = [{ client: '203.0.113.7', lockedUntil: at(1_000) }]
  expect(locksOf(['k:203.0.113.7', 1_000], 'account').locks).toEqual(lock)
  expect(locksOf(['k:203.0.113.7', 1_000], 'client').locks).toEqual(lock)
})

it('is null without a lock', () => {
  expect(locksOf([], 'client')).toEqual({ lockedUntil: null, locks: [] })
})
