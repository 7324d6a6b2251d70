import { expect, it } from '@jest/globals'
import { accessToken, loggedIn } from '../../test/tab-world.ts'
import { parseObject } from '../parse-object.ts'
import {
  changeBetween,
  freshness,
  isNewer,
  lifetimeOf,
  rotated,
  sessionIn,
  startSession,
} from './session.ts'

const session = startSession('s', loggedIn, 1_000)
const next = rotated(session, { accessToken: accessToken('1'), refreshToken: 'r1' }, 2_000)

it.each([
  ['a minute', accessToken('x'), 60_000],
  ['an encrypted one', 'a.b.c.d.e', null],
  ['no claims', 'a.%.c', null],
  ['an end before the start', accessToken('x', -5), null],
  ['no token', '', null],
])('reads how long a token lives: %s', (_, token, lifetime) => {
  expect(lifetimeOf(token)).toBe(lifetime)
})

it.each([
  ['new', 0, 'fresh'],
  ['within the last quarter of its life', 45_000, 'due'],
  ['at its end', 60_000, 'expired'],
  ['after a night', 9 * 3_600_000, 'expired'],
  ['of a clock that was set back', -3_600_000, 'fresh'],
])('a token that is %s', (_, age, state) => {
  expect(freshness(session, 1_000 + age, 30_000)).toBe(state)
})

it('a token is due some time before its end, and an encrypted one never', () => {
  const long = { ...session, lifetime: 900_000 }
  expect(freshness(long, 1_000 + 869_999, 30_000)).toBe('fresh')
  expect(freshness(long, 1_000 + 870_000, 30_000)).toBe('due')
  expect(freshness({ ...session, lifetime: null }, 1e15, 30_000)).toBe('fresh')
})

it('a refresh makes a session newer, and a login makes another one', () => {
  expect([isNewer(next, session), isNewer(session, next), isNewer(next, next)]).toEqual([
    true,
    false,
    false,
  ])
  expect(isNewer({ ...next, id: 'other' }, session)).toBe(false)
})

it('finds the change between two looks', () => {
  expect(changeBetween(null, session)).toBe('signedIn')
  expect(changeBetween(session, { ...next, id: 'other' })).toBe('signedIn')
  expect(changeBetween(session, next)).toBe('refreshed')
  expect(changeBetween(session, null)).toBe('signedOut')
  expect([changeBetween(null, null), changeBetween(next, next)]).toEqual([null, null])
})

it('reads what it stored, and nothing else', () => {
  expect(sessionIn(parseObject(JSON.stringify(session)))).toEqual(session)
  for (const text of [null, '', 'null', '7', '{}', '{"id":"s"}']) {
    expect(sessionIn(parseObject(text))).toBeNull()
  }
})
