import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Circuit } from './circuit.ts'
import { Endpoint } from './endpoint.ts'

const limits = { maxInFlight: 4, maxLocalWaitMs: () => 250 }
const options = { limits, pressure: () => true }

function endpointWith(circuit: { isOpen: boolean }) {
  const endpoint = new Endpoint<number>('e', circuit as Circuit, options)
  endpoint.ready = true
  return endpoint
}

/** Starts every job that may start, and returns the callbacks that end them. */
function startAll(endpoint: Endpoint<number>) {
  const started: { job: number; ended: (succeeded: boolean | undefined) => void }[] = []
  for (let next = endpoint.next(); next; next = endpoint.next()) started.push(next)
  return started
}

/** Calls `shed` when the queue becomes too long, and again after that has lasted. */
function shedForLong(endpoint: Endpoint<number>): number[] {
  expect(endpoint.shed()).toEqual([])
  jest.advanceTimersByTime(500)
  return endpoint.shed()
}

describe('Endpoint', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  it('starts in order of arrival, up to its cap', () => {
    const endpoint = endpointWith({ isOpen: false })
    for (let job = 1; job <= 6; job++) endpoint.enqueue(job)
    const started = startAll(endpoint)
    expect(started.map(({ job }) => job)).toEqual([1, 2, 3, 4])
    started[2]?.ended(true)
    expect(startAll(endpoint).map(({ job }) => job)).toEqual([5])
  })

  it('keeps a long queue while answers come fast, a short one when nothing comes back', () => {
    const endpoint = endpointWith({ isOpen: false })
    expect(endpoint.slotsForPaused).toBe(8 * limits.maxInFlight)
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.slotsForPaused).toBe(0)
    expect(shedForLong(endpoint)).toHaveLength(92)
    expect(endpoint.queued).toBe(4)
  })

  it('keeps every job while the partition can still be read', () => {
    const circuit = { isOpen: false } as Circuit
    const endpoint = new Endpoint<number>('e', circuit, { ...options, pressure: () => false })
    endpoint.ready = true
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.accepts).toBe(true)
    expect(shedForLong(endpoint)).toEqual([])
    expect(endpoint.slotsForPaused).toBe(0)
  })

  it('pauses nothing because of one slow moment', () => {
    const endpoint = endpointWith({ isOpen: false })
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    const slow = startAll(endpoint)
    jest.advanceTimersByTime(400)
    expect(endpoint.slotsForPaused).toBe(0)
    expect(endpoint.shed()).toEqual([])
    for (const { ended } of slow) ended(undefined)
    for (const { ended } of startAll(endpoint)) ended(true)
    jest.advanceTimersByTime(400)
    expect(endpoint.shed()).toEqual([])
    expect(endpoint.accepts).toBe(true)
  })

  it('gives up the latest arrivals, so that the first ones stay', () => {
    const endpoint = endpointWith({ isOpen: false })
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(shedForLong(endpoint)[0]).toBe(8)
    expect(endpoint.accepts).toBe(false)
  })

  it('neither starts nor keeps jobs while the circuit is open', () => {
    const circuit = { isOpen: false }
    const endpoint = endpointWith(circuit)
    endpoint.enqueue(1)
    circuit.isOpen = true
    expect(endpoint.next()).toBeUndefined()
    expect(endpoint.slotsForPaused).toBe(0)
    expect(endpoint.shed()).toEqual([1])
  })

  it('starts with one attempt after a cooldown, and doubles the number each round', () => {
    const wide = { maxInFlight: 32, maxLocalWaitMs: () => 250 }
    const endpoint = new Endpoint<number>('e', { isOpen: false } as Circuit, {
      ...{ ...options, limits: wide },
    })
    endpoint.ready = true
    endpoint.ramp()
    for (let job = 0; job < 200; job++) endpoint.enqueue(job)
    const rounds: number[] = []
    for (let started = startAll(endpoint); rounds.length < 7; started = startAll(endpoint)) {
      rounds.push(started.length)
      for (const { ended } of started) ended(true)
    }
    expect(rounds).toEqual([1, 2, 4, 8, 16, 32, 32])
  })

  it('reduces the number again when an attempt fails during that', () => {
    const endpoint = endpointWith({ isOpen: false })
    endpoint.ramp()
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    startAll(endpoint)[0]?.ended(true)
    const [first, second] = startAll(endpoint)
    first?.ended(false)
    expect(startAll(endpoint)).toHaveLength(0)
    second?.ended(false)
    expect(startAll(endpoint)).toHaveLength(1)
  })

  it('starts with four attempts until it has answered', () => {
    const wide = { ...limits, maxInFlight: 32 }
    const endpoint = new Endpoint<number>('e', { isOpen: false } as Circuit, {
      ...{ ...options, limits: wide },
    })
    endpoint.ready = true
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    const started = startAll(endpoint)
    expect(started).toHaveLength(4)
    started[0]?.ended(true)
    expect(startAll(endpoint)).toHaveLength(2)
  })

  it('waits until the circuit of an earlier owner is known', () => {
    const endpoint = new Endpoint<number>('e', { isOpen: false } as Circuit, options)
    endpoint.enqueue(1)
    expect(endpoint.next()).toBeUndefined()
    endpoint.ready = true
    expect(endpoint.next()?.job).toBe(1)
  })
})

describe('the policy of an endpoint', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  const noPressure = { ...options, pressure: () => false }
  let policy: { concurrency: number | null; perSecond: number | null }
  let woken = 0
  const open = { isOpen: false, isQuiet: true, dispose: () => {} } as unknown as Circuit
  const limited = (concurrency: number | null, perSecond: number | null) => {
    policy = { concurrency, perSecond }
    woken = 0
    const since = performance.now() - 60_000
    const own = { ...noPressure, policyOf: () => policy, since }
    const endpoint = new Endpoint<number>('e', open, own, () => void woken++)
    endpoint.ready = true
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    return endpoint
  }

  it('allows fewer in flight, and a change counts at once', () => {
    const endpoint = limited(2, null)
    expect(startAll(endpoint)).toHaveLength(2)
    policy = { concurrency: 3, perSecond: null }
    expect(startAll(endpoint)).toHaveLength(1)
    policy = { concurrency: 32, perSecond: null }
    expect(startAll(endpoint)).toHaveLength(1)
  })

  it('starts no more a second, and says when the next one may start', () => {
    const endpoint = limited(null, 2)
    expect(startAll(endpoint)).toHaveLength(1)
    expect([startAll(endpoint).length, startAll(endpoint).length]).toEqual([0, 0])
    jest.advanceTimersByTime(499)
    expect(woken).toBe(0)
    jest.advanceTimersByTime(1)
    expect([woken, startAll(endpoint).length]).toEqual([1, 1])
  })

  it('takes nothing for an attempt that was not made', () => {
    const endpoint = limited(null, 2)
    startAll(endpoint)[0]?.ended(undefined)
    expect(startAll(endpoint)).toHaveLength(1)
  })

  it('keeps in memory only what starts soon, however much room there is', () => {
    const endpoint = limited(null, 8)
    expect(shedForLong(endpoint)).toHaveLength(18)
    expect(endpoint.slotsForPaused).toBe(0)
    startAll(endpoint)
    expect(endpoint.slotsForPaused).toBe(1)
  })

  it('is not forgotten while a new one could start more', () => {
    const endpoint = limited(null, 1)
    endpoint.shed()
    jest.advanceTimersByTime(500)
    endpoint.shed()
    startAll(endpoint)[0]?.ended(true)
    expect(endpoint.isIdle).toBe(false)
    jest.advanceTimersByTime(1_000)
    expect(endpoint.isIdle).toBe(true)
    endpoint.dispose()
  })
})

describe('the slots of a project', () => {
  const closed = { isOpen: false, isQuiet: true, dispose: () => {} } as unknown as Circuit
  const slotsOf = (room: { all: number; each: number }) => new FairSlots({ room })

  function endpointOf(projectId: string, slots: FairSlots, jobs: number) {
    const started: { ended: (succeeded: boolean | undefined) => void }[] = []
    const start = () => started.push(...startAll(endpoint))
    const endpoint = new Endpoint<number>(
      'e',
      closed,
      { ...options, slots: { all: slots, projectId } },
      start,
    )
    endpoint.ready = true
    for (let job = 0; job < jobs; job++) endpoint.enqueue(job)
    start()
    return { endpoint, started }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('bound its attempts in flight, and leave the others their own', () => {
    const slots = slotsOf({ all: 8, each: 4 })
    const many = Array.from({ length: 5 }, () => endpointOf('a', slots, 2))
    expect(many.map(({ started }) => started.length)).toEqual([2, 2, 0, 0, 0])
    expect(endpointOf('b', slots, 6).started).toHaveLength(4)
  })

  it('go to its endpoints in turns, and come back when they have nothing to send', async () => {
    const slots = slotsOf({ all: 8, each: 1 })
    const all = [1, 2, 2].map((jobs) => endpointOf('a', slots, jobs))
    const started = () => all.map((one) => one.started.length)
    const end = async (index: number) => {
      all[index]?.started[0]?.ended(true)
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

  it('keep nothing in memory that waits for them without an end', () => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] })
    try {
      const slots = slotsOf({ all: 8, each: 1 })
      endpointOf('a', slots, 1)
      const { endpoint } = endpointOf('a', slots, 20)
      expect(endpoint.slotsForPaused).toBe(0)
      expect(endpoint.accepts).toBe(true)
      expect(shedForLong(endpoint)).toEqual([])
      jest.advanceTimersByTime(1_000)
      expect(endpoint.shed()).toHaveLength(20)
    } finally {
      jest.useRealTimers()
    }
  })
})
