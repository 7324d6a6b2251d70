import { expect, it } from '@jest/globals'
import { backoffMs } from './backoff.ts'

it('doubles from the first wait up to the longest', () => {
  const backoff = { firstMs: 100, longestMs: 1_000 }
  const waits = [1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(failures, backoff))
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000])
})
