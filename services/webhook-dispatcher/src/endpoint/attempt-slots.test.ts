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
    await slots.turn({ projectId: 'p', isProven: true }, signal)
    started++
  }
  await Promise.all(Array.from({ length: count }, start))
  expect(rounds).toBeLessThan(3 * count)
})

it('attempts at unproven endpoints leave rounds to others, whose next attempt starts at once', async () => {
  const slots = new AttemptSlots({ startingMs: 2 })
  const { signal } = new AbortController()
  const unproven = { projectId: 'dead', isProven: false }
  const count = 20
  let started = 0
  let rounds = 0
  const countRounds = () => {
    rounds++
    if (started < count) setImmediate(countRounds)
  }
  expect(slots.tryTake(unproven)).toBeNull()
  countRounds()
  const start = async () => {
    await slots.turn(unproven, signal)
    started++
  }
  const all = Promise.all(Array.from({ length: count }, start))
  expect(slots.tryTake({ projectId: 'answering', isProven: true })).not.toBeNull()
  await all
  expect(rounds).toBeGreaterThanOrEqual(3 * count)
})
