import { setImmediate } from 'node:timers'
import { expect, it } from '@jest/globals'
import { AttemptSlots } from './attempt-slots.ts'

it('an attempt that waits for its turn starts in one of the next rounds of the event loop', async () => {
  const slots = new AttemptSlots({ startingMs: 0 })
  const { signal } = new AbortController()
  const count = 100
  let started = 0
  let rounds = 0
  const countRounds = () => {
    rounds++
    if (started < count) setImmediate(countRounds)
  }
  countRounds()
  const start = async () => {
    await slots.turn('p', signal)
    started++
  }
  await Promise.all(Array.from({ length: count }, start))
  expect(rounds).toBeLessThan(3 * count)
})
