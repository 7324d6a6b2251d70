import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { AttemptSlots } from './attempt-slots.ts'

it('an attempt that waits for its turn starts in one of the next rounds of the event loop', async () => {
  const slots = new AttemptSlots({ startingMs: 0 })
  const count = 100
  let started = 0
  const { signal } = new AbortController()
  const all = Array.from({ length: count }, async () => {
    await slots.turn('p', signal)
    started++
  })
  let rounds = 0
  for (; started < count; rounds++) await nextRound()
  await Promise.all(all)
  expect(rounds).toBeLessThan(3 * count)
})
