import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { AttemptResult } from './decide-next-attempt.ts'
import { decideNextAttempt, succeeded } from './decide-next-attempt.ts'

const delays = [
  { name: '1s', ms: 1_000 },
  { name: '5s', ms: 5_000 },
  { name: '30s', ms: 30_000 },
  { name: '5m', ms: 300_000 },
]
const answered = (status: number): AttemptResult => ({
  kind: 'responded',
  status,
  answer: '',
  latencyMs: 1,
})
const unreachable: AttemptResult = {
  kind: 'unreachable',
  errorClass: 'refused',
  message: 'connect ECONNREFUSED',
  latencyMs: 1,
}
const now = { delays, ladder: delays, retryAfter: false, at: 1_000_000, jitter: 0 }

describe('decideNextAttempt', () => {
  it.each([200, 201, 204, 299])('takes %i as delivered', (status) => {
    expect(decideNextAttempt(answered(status), 1, now)).toEqual({ kind: 'delivered' })
  })

  it.each([100, 199, 300, 301, 400, 404, 410, 429, 500, 503])('retries after %i', (status) => {
    expect(decideNextAttempt(answered(status), 1, now).kind).toBe('retry')
  })

  it('waits 1 s, 5 s, 30 s and 5 min, then gives up: five attempts in all', () => {
    const decisions = [1, 2, 3, 4, 5].map((attempt) => decideNextAttempt(unreachable, attempt, now))
    expect(decisions).toEqual([
      { kind: 'retry', delay: delays[0], dueAt: 1_001_000 },
      { kind: 'retry', delay: delays[1], dueAt: 1_005_000 },
      { kind: 'retry', delay: delays[2], dueAt: 1_030_000 },
      { kind: 'retry', delay: delays[3], dueAt: 1_300_000 },
      { kind: 'dead-letter' },
    ])
  })

  it('never retries a success, never drops a failure, and keeps jitter within 10 %', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 100, max: 599 }).map(answered), fc.constant(unreachable)),
        fc.integer({ min: 1, max: 6 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (result, attempt, jitter) => {
          const at = 1_700_000_000_000
          const decision = decideNextAttempt(result, attempt, { ...now, at, jitter })
          expect(decision.kind === 'delivered').toBe(succeeded(result))
          if (decision.kind === 'dead-letter') expect(attempt).toBeGreaterThan(delays.length)
          if (decision.kind !== 'retry') return
          expect(decision.delay).toBe(delays[attempt - 1])
          expect(decision.dueAt - at).toBeGreaterThanOrEqual(decision.delay.ms)
          expect(decision.dueAt - at).toBeLessThanOrEqual(decision.delay.ms * 1.1)
        },
      ),
    )
  })
})

describe('Retry-After', () => {
  const asking = (status: number, retryAfter: string) => ({ ...answered(status), retryAfter })
  const honoured = { ...now, retryAfter: true }

  it.each([429, 503])(
    'of a %i postpones the retry, with the longest delay that is not longer',
    (status) => {
      expect(decideNextAttempt(asking(status, '600'), 1, honoured)).toEqual({
        kind: 'retry',
        delay: delays[3],
        dueAt: 1_300_000,
        notBefore: 1_600_000,
      })
    },
  )

  it('counts as a failure as ever: the last attempt was the last', () => {
    expect(decideNextAttempt(asking(503, '600'), 5, honoured)).toEqual({ kind: 'dead-letter' })
  })

  it.each([
    ['without the policy', asking(503, '600'), now],
    ['of another status', asking(500, '600'), honoured],
    ['that is shorter than the delay', asking(503, '1'), honoured],
    ['that is missing', answered(503), honoured],
  ])('%s changes nothing', (_what, result, schedule) => {
    expect(decideNextAttempt(result, 1, schedule)).toEqual({
      kind: 'retry',
      delay: delays[0],
      dueAt: 1_001_000,
    })
  })
})
