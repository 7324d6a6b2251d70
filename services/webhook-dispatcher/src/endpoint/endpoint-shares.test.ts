import { describe, expect, it, jest } from '@jest/globals'
import {
  circuitsOf,
  endpointWith,
  options,
  shedForLong,
  startAll,
} from '../../test/support/tested-endpoint.ts'
import { AttemptSlots } from './attempt-slots.ts'
import type { StartedAttempt } from './endpoint.ts'

describe('the slots of a project', () => {
  const slotsOf = (room: { all: number; each: number }) => new AttemptSlots({ room })

  async function endpointOf(projectId: string, slots: AttemptSlots, jobs: number) {
    const started: StartedAttempt<number>[] = []
    const own = { ...options, slots: { all: slots, projectId } }
    const start = () => started.push(...startAll(endpoint))
    let onMayStart = () => {}
    const endpoint = await endpointWith({ own, onMayStart: () => onMayStart() })
    onMayStart = start
    for (let job = 0; job < jobs; job++) endpoint.enqueue(job)
    start()
    return { endpoint, started }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('bound its attempts in flight, and leave the others their own', async () => {
    const slots = slotsOf({ all: 8, each: 4 })
    const many = await Promise.all(Array.from({ length: 5 }, () => endpointOf('a', slots, 2)))
    expect(many.map(({ started }) => started.length)).toEqual([2, 2, 0, 0, 0])
    expect((await endpointOf('b', slots, 6)).started).toHaveLength(4)
  })

  it('go to its endpoints in turns, and come back when they have nothing to send', async () => {
    const slots = slotsOf({ all: 8, each: 1 })
    const all = await Promise.all([1, 2, 2].map((jobs) => endpointOf('a', slots, jobs)))
    const started = () => all.map((one) => one.started.length)
    const end = async (index: number) => {
      all[index]?.started[0]?.ended('succeeded')
      await turn()
    }
    await end(0)
    expect(started()).toEqual([1, 1, 0])
    await end(1)
    expect(started()).toEqual([1, 1, 1])
    for (const { endpoint } of all) endpoint.dispose()
    await end(2)
    expect(slots.taken).toBe(0)
  })

  it('start few attempts in a round of the event loop, in turns of projects', async () => {
    const slots = new AttemptSlots({ startingMs: 0 })
    const many = await Promise.all(Array.from({ length: 5 }, () => endpointOf('a', slots, 4)))
    const other = await endpointOf('b', slots, 1)
    const started = () => many.reduce((sum, one) => sum + one.started.length, 0)
    const rounds: { ofMany: number; ofOther: number }[] = []
    while (rounds.length < 200 && started() < 20) {
      rounds.push({ ofMany: started(), ofOther: other.started.length })
      await turn()
    }
    expect(started()).toBe(20)
    const growth = rounds.map(({ ofMany }, nth) => ofMany - (rounds[nth - 1]?.ofMany ?? 0))
    expect(Math.max(...growth)).toBe(1)
    expect(rounds.findIndex(({ ofOther }) => ofOther > 0)).toBeLessThan(12)
  })

  it('keep nothing in memory that waits for them without an end', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] })
    try {
      const slots = slotsOf({ all: 8, each: 1 })
      await endpointOf('a', slots, 1)
      const { endpoint } = await endpointOf('a', slots, 20)
      expect(endpoint.slotsForPaused('s')).toBe(0)
      expect(endpoint.accepts('s')).toBe(true)
      expect(shedForLong(endpoint)).toEqual([])
      jest.advanceTimersByTime(1_000)
      expect(endpoint.shed()).toHaveLength(20)
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('the subscriptions of an endpoint', () => {
  it('take turns, so that a flood of one does not hold up another', async () => {
    const endpoint = await endpointWith()
    for (let job = 0; job < 100; job++) endpoint.enqueue(job, 'a')
    endpoint.enqueue(100, 'b')
    expect(startAll(endpoint).map(({ job }) => job)).toEqual([0, 100, 1, 2])
  })

  it('share the memory in which jobs wait', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] })
    try {
      const endpoint = await endpointWith()
      for (let job = 0; job < 100; job++) endpoint.enqueue(job, job < 50 ? 'a' : 'b')
      startAll(endpoint)
      jest.advanceTimersByTime(5_000)
      const shed = shedForLong(endpoint)
      expect(endpoint.queued).toBe(100 - 4 - shed.length)
      expect([shed.filter((job) => job < 50), shed]).toMatchObject([{ length: 46 }, { length: 92 }])
    } finally {
      jest.useRealTimers()
    }
  })

  it('lose only the jobs of the one whose own circuit is open', async () => {
    const refused = new Set<string>()
    const endpoint = await endpointWith({ circuits: circuitsOf({ isOpen: false }, refused) })
    for (let job = 0; job < 4; job++) endpoint.enqueue(job, job < 2 ? 'a' : 'b')
    refused.add('a')
    expect(endpoint.shed()).toEqual([0, 1])
    expect([endpoint.accepts('a'), endpoint.accepts('b')]).toEqual([false, true])
    expect(startAll(endpoint).map(({ job }) => job)).toEqual([2, 3])
  })

  it('start with one attempt after the cooldown of its own circuit, the others go on', async () => {
    const endpoint = await endpointWith()
    endpoint.ramp('a')
    for (let job = 0; job < 4; job++) endpoint.enqueue(job, job < 2 ? 'a' : 'b')
    expect(startAll(endpoint).map(({ job }) => job)).toEqual([0, 2, 3])
  })
})
