import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { retryAfterMs, waitLeftMs } from './retry-after.ts'
import { delaysOf, nextHop, retryDueAt } from './retry-ladder.ts'

const at = Date.parse('2026-01-31T12:00:00.400Z')
const ladder = ['1s', '5s', '30s', '5m', '30m'].map((name, nth) => ({
  name,
  ms: [1, 5, 30, 300, 1_800].map((seconds) => seconds * 1_000)[nth] ?? 0,
}))

describe('the header Retry-After', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['seconds with spaces around', ' 3 ', 3_000],
    ['none to wait', '0', 0],
    ['more than an hour', '7200', 3_600_000],
    ['a number beyond all', '9'.repeat(400), 3_600_000],
    ['a date', 'Sat, 31 Jan 2026 12:00:10 GMT', 9_600],
    ['a date of RFC 850', 'Saturday, 31-Jan-26 12:00:10 GMT', 9_600],
    ['a date of asctime', 'Sat Jan 31 12:00:10 2026', 9_600],
    ['a date in the past', 'Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['a date that is far away', 'Sun, 31 Jan 2027 12:00:00 GMT', 3_600_000],
    ['nothing', undefined, 0],
    ['an empty text', '', 0],
    ['a fraction', '1.5', 0],
    ['a negative number', '-5', 0],
    ['a date of another standard', '2026-01-31T12:00:10Z', 0],
    ['no date', 'Sat, soon', 0],
  ])('with %s', (_what, text, ms) => {
    expect(retryAfterMs(text, at)).toBe(ms)
  })
})

describe('the way to a time', () => {
  it('is never too early, never later than a tenth of the smallest delay, and ends soon', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600_000 }), (waitMs) => {
        const notBefore = at + waitMs
        const job = { notBefore, waitMs }
        let now = at
        let hops = 0
        for (; waitLeftMs(job, now) > 0; hops++) {
          const { delay, dueAt } = nextHop(ladder, now, notBefore)
          const left = notBefore - now
          expect(dueAt).toBeLessThanOrEqual(notBefore)
          expect(dueAt - now).toBeLessThanOrEqual(delay.ms * 1.1)
          if (delay !== ladder[0]) expect(delay.ms).toBeLessThanOrEqual(left)
          now = dueAt
        }
        expect(now).toBe(notBefore)
        expect(hops).toBeLessThanOrEqual(30)
      }),
    )
  })

  it.each([
    ['the asked wait', 1_000, at + 60_000 + 1_001],
    ['a long asked wait and a tenth of it', 3_600_000, at + 1.1 * 3_600_000 + 1],
  ])('is over if it is longer than %s: a clock was ahead', (_what, waitMs, notBefore) => {
    expect(waitLeftMs({ notBefore, waitMs }, at)).toBe(0)
    expect(waitLeftMs({ notBefore: at + 1_000, waitMs }, at)).toBe(1_000)
  })
})

it('a schedule takes the next shorter delay for one that the ladder no longer has', () => {
  const chosen = delaysOf(ladder, ['1s', '60s', '8h', '100ms'])
  expect(chosen.map(({ name }) => name)).toEqual(['1s', '30s', '30m', '1s'])
})

describe('a retry in the order of its record', () => {
  const hours = 3_600_000
  const due = (inMs: number, waitMs: number) => ({ dueAt: at + inMs, notBefore: 0, waitMs })
  const asked = (inMs: number, waitMs: number) => ({ ...due(1_000, waitMs), notBefore: at + inMs })
  it.each([
    ['at the time of its delay', due(8.8 * hours, 8.8 * hours), 8.8 * hours],
    ['when its receiver asks', asked(hours, hours), hours],
    ['as a clock that was a little ahead wrote it', due(8.7 * hours, 8 * hours), 8.7 * hours],
  ])('is due %s', (_when, job, waitMs) => {
    expect(retryDueAt(job, at)).toBe(at + waitMs)
  })

  it.each([
    ['its delay', due(hours, 300)],
    ['its long delay', due(8.9 * hours, 8 * hours)],
    ['a wish of its receiver', due(2 * hours, hours)],
  ])('is due at once if no clock can have meant that time by %s', (_what, job) => {
    expect(retryDueAt(job, at)).toBe(0)
  })
})
