import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { latencyClass, percentile } from './latency-classes.ts'

function counted(durations: readonly number[]): number[] {
  const counts = Array<number>(43).fill(0)
  for (const ms of durations) counts[latencyClass(ms)] = (counts[latencyClass(ms)] ?? 0) + 1
  return counts
}

it('is within the length of a class of the exact percentile', () => {
  const durations = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95), (all, share) => {
      const sorted = all.toSorted((a, b) => a - b)
      const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
      const found = percentile(counted(all), share) ?? Number.NaN
      expect(found / exact).toBeGreaterThan(0.7)
      expect(found / exact).toBeLessThan(1.4)
    }),
  )
})

it('is null without an attempt', () => {
  expect([percentile([], 0.5), percentile([0, 0], 0.5)]).toEqual([null, null])
})

it('keeps what takes longest in the last class', () => {
  expect(latencyClass(10 ** 9)).toBe(latencyClass(10 ** 8))
  expect([latencyClass(0), latencyClass(1), latencyClass(2)]).toEqual([0, 0, 3])
})
