import { expect, it } from '@jest/globals'
import { countdown, dueText, exactTime, relativeTime } from './relative-time.ts'

const now = new Date('2026-01-01T12:00:00Z')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

it.each([
  [0, 'now'],
  [-5, '5s ago'],
  [-90, '1m ago'],
  [-7_300, '2h ago'],
  [-200_000, '2d ago'],
  [30, 'in 30s'],
  [300, 'in 5m'],
])('names %i s from now %s', (seconds, text) => {
  expect(relativeTime(after(seconds), now)).toBe(text)
})

it.each([
  [65, '1:05'],
  [7_200, '2:00:00'],
  [-3, '0:00'],
])('counts %i s down as %s', (seconds, text) => {
  expect(countdown(after(seconds), now)).toBe(text)
})

it.each([
  [65, 'in 1:05'],
  [0, 'due now'],
  [-30, 'due now'],
])('says that an attempt in %i s is %s', (seconds, text) => {
  expect(dueText(after(seconds), now)).toBe(text)
})

it('tells times within a second apart', () => {
  expect(exactTime(after(0.007))).toMatch(/^1 Jan 2026,? \d\d:00:00\.007 /)
  expect(exactTime(now)).toMatch(/^1 Jan 2026,? \d\d:00:00 /)
})
