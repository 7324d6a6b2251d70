import { expect, it } from '@jest/globals'
import { parseDuration } from './time.ts'

it.each([
  ['0ms', 0],
  ['250ms', 250],
  ['5s', 5_000],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['30d', 2_592_000_000],
])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms))

it.each(['', '5', 's', '-1s', '1.5s', '1 s', '5S', '1s1s', '9999999999s'])('refuses %j', (text) =>
  expect(() => parseDuration(text)).toThrow(`"${text}" is not a duration`),
)
