import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { RateLimit } from './rate-limit.ts'

/**
 * Returns the times at which attempts start. It asks at these times, and whenever the limit says
 * so.
 */
function startsOf(limit: RateLimit, perSecond: number, [from, to]: [number, number]): number[] {
  const starts: number[] = []
  for (let now = from; now < to; ) {
    if (limit.take(perSecond, now)) starts.push(now)
    else now += Math.max(0.001, limit.waitMs(perSecond, now))
  }
  return starts
}

/** Returns the most attempts that start within any span of `ms`. */
const mostWithin = (starts: readonly number[], ms: number) =>
  Math.max(...starts.map((at) => starts.filter((other) => other >= at && other < at + ms).length))

const rates = fc.oneof(
  fc.constantFrom(0.1, 0.5, 1, 10),
  fc.double({ min: 0.1, max: 60, noNaN: true }),
)

it('starts as many a second as it may, and in no span more than that and its burst', () => {
  fc.assert(
    fc.property(rates, (perSecond) => {
      const forMs = 40_000
      const starts = startsOf(new RateLimit(0), perSecond, [0, forMs])
      const expected = (forMs / 1_000) * perSecond
      expect(starts.length).toBeGreaterThanOrEqual(Math.floor(expected) - 1)
      const burst = Math.max(1, perSecond / 10)
      for (const ms of [1_000, 10_000]) {
        expect(mostWithin(starts, ms)).toBeLessThanOrEqual(burst + (ms / 1_000) * perSecond + 1e-6)
      }
    }),
    { numRuns: 50 },
  )
})

it('a new owner and the one before start together no more than one alone', () => {
  fc.assert(
    fc.property(rates, fc.double({ min: 1, max: 20_000, noNaN: true }), (perSecond, handover) => {
      const before = startsOf(new RateLimit(0), perSecond, [0, handover])
      const behind = startsOf(new RateLimit(handover), perSecond, [handover, handover + 20_000])
      const burst = Math.max(1, perSecond / 10)
      for (const ms of [1_000, 10_000]) {
        const most = mostWithin([...before, ...behind, 1e9], ms)
        expect(most).toBeLessThanOrEqual(Math.max(1, burst + (ms / 1_000) * perSecond + 1e-6))
      }
    }),
    { numRuns: 50 },
  )
})

it('does not wait after a pause, and starts no more than its burst then', () => {
  const limit = new RateLimit(0)
  expect([limit.take(2, 60_000), limit.take(2, 60_000)]).toEqual([true, false])
  expect(limit.waitMs(2, 60_000)).toBe(500)
  limit.giveBack(2)
  expect(limit.take(2, 60_000)).toBe(true)
  expect(limit.isFull(2, 60_400)).toBe(false)
  expect(limit.isFull(2, 60_500)).toBe(true)
})
