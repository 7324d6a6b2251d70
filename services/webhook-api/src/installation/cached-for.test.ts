import { expect, it } from '@jest/globals'
import { cachedFor } from './cached-for.ts'

it('reads once within the time, and again afterwards', async () => {
  let now = 0
  let reads = 0
  const ask = cachedFor(
    5_000,
    async () => ++reads,
    () => now,
  )
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
  now = 4_999
  expect(await ask()).toBe(1)
  now = 5_000
  expect(await ask()).toBe(2)
})

it('shares a reading that takes longer than the time', async () => {
  let now = 0
  const { promise, resolve } = Promise.withResolvers<string>()
  const ask = cachedFor(
    10,
    () => promise,
    () => now,
  )
  const first = ask()
  now = 60_000
  const second = ask()
  resolve('read')
  expect(await Promise.all([first, second])).toEqual(['read', 'read'])
})

it('caches no failure', async () => {
  let reads = 0
  const ask = cachedFor(5_000, async () => {
    reads += 1
    if (reads === 1) throw new Error('away')
    return reads
  })
  await expect(ask()).rejects.toThrow('away')
  expect(await ask()).toBe(2)
})
