import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ConnectionError, RateLimitError, ServerError } from '../errors.ts'
import { secondsOf } from './error-of.ts'
import { backoff, delayBefore, isTransient } from './retry.ts'

it('a delay doubles from half a second to 8 s, less up to half', () => {
  const longest = [1, 2, 3, 4, 5, 6].map((failures) => backoff(failures, () => 1))
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
  expect(backoff(1, () => 0)).toBe(250)
})

it('a delay is never shorter than Retry-After, and the caller decides about long ones', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(60), (failures, retryAfter) => {
      const delay = delayBefore(failures, retryAfter)
      if (retryAfter > 30) expect(delay).toBeUndefined()
      else expect(delay).toBeGreaterThanOrEqual(retryAfter * 1_000)
    }),
  )
})

it.each([
  ['seconds', '7', 7],
  ['a date', 'Thu, 01 Jan 1970 00:00:05 GMT', 5],
  ['a date that is over', 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['nothing', null, undefined],
  ['nonsense', 'soon', undefined],
])('reads Retry-After as %s', (_, header, seconds) => {
  expect(secondsOf(header, 100)).toBe(seconds)
})

const limited = new RateLimitError('', { code: 'RATE_LIMIT_EXCEEDED', status: 429 })
const away = new ServerError('', { code: 'SERVICE_UNAVAILABLE', status: 503 })
const broken = new ServerError('', { code: 'INTERNAL_ERROR', status: 500 })
const cut = new ConnectionError('', { code: 'CONNECTION_FAILED' })

it('repeats what may happen twice, and a 429 in any case', () => {
  expect([limited, away, cut, broken].map((error) => isTransient(error, true))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect([limited, away, cut].map((error) => isTransient(error, false))).toEqual([
    true,
    false,
    false,
  ])
})
