import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  circuitsOf,
  endpointWith,
  limits,
  options,
  shedForLong,
  startAll,
} from '../../test/support/tested-endpoint.ts'

describe('Endpoint', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  it('starts in order of arrival, up to its cap', async () => {
    const endpoint = await endpointWith()
    for (let job = 1; job <= 6; job++) endpoint.enqueue(job)
    const started = startAll(endpoint)
    expect(started.map(({ job }) => job)).toEqual([1, 2, 3, 4])
    started[2]?.ended('succeeded')
    expect(startAll(endpoint).map(({ job }) => job)).toEqual([5])
  })

  it('keeps a long queue while answers come fast, a short one when nothing comes back', async () => {
    const endpoint = await endpointWith()
    expect(endpoint.slotsForPaused('s')).toBe(8 * limits.maxInFlight)
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.slotsForPaused('s')).toBe(0)
    expect(shedForLong(endpoint)).toHaveLength(92)
    expect(endpoint.queued).toBe(4)
  })

  it('keeps every job while the partition can still be read', async () => {
    const endpoint = await endpointWith({ own: { ...options, pressure: () => false } })
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.accepts('s')).toBe(true)
    expect(shedForLong(endpoint)).toEqual([])
    expect(endpoint.slotsForPaused('s')).toBe(0)
  })

  it('pauses nothing because of one slow moment', async () => {
    const endpoint = await endpointWith()
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    const slow = startAll(endpoint)
    jest.advanceTimersByTime(400)
    expect(endpoint.slotsForPaused('s')).toBe(0)
    expect(endpoint.shed()).toEqual([])
    for (const { ended } of slow) ended(undefined)
    for (const { ended } of startAll(endpoint)) ended('succeeded')
    jest.advanceTimersByTime(400)
    expect(endpoint.shed()).toEqual([])
    expect(endpoint.accepts('s')).toBe(true)
  })

  it('gives up the latest arrivals, so that the first ones stay', async () => {
    const endpoint = await endpointWith()
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(shedForLong(endpoint)[0]).toBe(8)
    expect(endpoint.accepts('s')).toBe(false)
  })

  it('neither starts nor keeps jobs while the circuit is open', async () => {
    const circuit = { isOpen: false }
    const endpoint = await endpointWith({ circuits: circuitsOf(circuit) })
    endpoint.enqueue(1)
    circuit.isOpen = true
    expect(endpoint.next()).toBeUndefined()
    expect(endpoint.slotsForPaused('s')).toBe(0)
    expect(endpoint.shed()).toEqual([1])
  })

  it('starts with one attempt after a cooldown, and doubles the number each round', async () => {
    const wide = { maxInFlight: 32, maxLocalWaitMs: () => 250 }
    const endpoint = await endpointWith({ own: { ...options, limits: wide } })
    endpoint.ramp(null)
    for (let job = 0; job < 200; job++) endpoint.enqueue(job)
    const rounds: number[] = []
    for (let started = startAll(endpoint); rounds.length < 7; started = startAll(endpoint)) {
      rounds.push(started.length)
      for (const { ended } of started) ended('succeeded')
    }
    expect(rounds).toEqual([1, 2, 4, 8, 16, 32, 32])
  })

  it('reduces the number again when an attempt fails during that', async () => {
    const endpoint = await endpointWith()
    endpoint.ramp(null)
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    startAll(endpoint)[0]?.ended('succeeded')
    const [first, second] = startAll(endpoint)
    first?.ended('failed')
    expect(startAll(endpoint)).toHaveLength(0)
    second?.ended('failed')
    expect(startAll(endpoint)).toHaveLength(1)
  })

  it('starts with four attempts until it has answered', async () => {
    const wide = { ...limits, maxInFlight: 32 }
    const endpoint = await endpointWith({ own: { ...options, limits: wide } })
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    const started = startAll(endpoint)
    expect(started).toHaveLength(4)
    started[0]?.ended('succeeded')
    expect(startAll(endpoint)).toHaveLength(2)
  })

  it('waits until the circuit of an earlier owner is known', async () => {
    const endpoint = await endpointWith()
    endpoint.ready = false
    endpoint.enqueue(1)
    expect(endpoint.next()).toBeUndefined()
    endpoint.ready = true
    expect(endpoint.next()?.job).toBe(1)
  })
})

describe('the policy of a subscription', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  const noPressure = { ...options, pressure: () => false }
  let policy: { concurrency: number | null; perSecond: number | null }
  let woken = 0
  const limited = async (concurrency: number | null, perSecond: number | null) => {
    policy = { concurrency, perSecond }
    woken = 0
    const since = performance.now() - 60_000
    const limitsOf = (id: string) => (id === 's' ? policy : undefined)
    const own = { ...noPressure, limitsOf, since }
    const endpoint = await endpointWith({ own, onMayStart: () => void woken++ })
    woken = 0
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    return endpoint
  }

  it('allows fewer in flight, and a change counts soon', async () => {
    const endpoint = await limited(2, null)
    expect(startAll(endpoint)).toHaveLength(2)
    policy = { concurrency: 3, perSecond: null }
    endpoint.shed()
    expect(startAll(endpoint)).toHaveLength(1)
    policy = { concurrency: 32, perSecond: null }
    endpoint.shed()
    expect(startAll(endpoint)).toHaveLength(1)
  })

  it('starts no more a second, and says when the next one may start', async () => {
    const endpoint = await limited(null, 2)
    expect(startAll(endpoint)).toHaveLength(1)
    expect([startAll(endpoint).length, startAll(endpoint).length]).toEqual([0, 0])
    jest.advanceTimersByTime(499)
    expect(woken).toBe(0)
    jest.advanceTimersByTime(1)
    expect([woken, startAll(endpoint).length]).toEqual([1, 1])
  })

  it('takes nothing for an attempt that was not made', async () => {
    const endpoint = await limited(null, 2)
    startAll(endpoint)[0]?.ended(undefined)
    expect(startAll(endpoint)).toHaveLength(1)
  })

  it('keeps in memory only what starts soon, however much room there is', async () => {
    const endpoint = await limited(null, 8)
    expect(shedForLong(endpoint)).toHaveLength(18)
    expect(endpoint.slotsForPaused('s')).toBe(0)
    startAll(endpoint)
    expect(endpoint.slotsForPaused('s')).toBe(1)
  })

  it('limits no other subscription of the endpoint', async () => {
    const endpoint = await limited(1, 1)
    for (let job = 100; job < 103; job++) endpoint.enqueue(job, 'a')
    expect(startAll(endpoint).map(({ job }) => job)).toEqual([0, 100, 101, 102])
    expect(endpoint.slotsForPaused('s')).toBe(0)
    expect(endpoint.slotsForPaused('a')).toBeGreaterThan(0)
  })

  it('is not forgotten while a new one could start more', async () => {
    const endpoint = await limited(null, 1)
    endpoint.shed()
    jest.advanceTimersByTime(500)
    endpoint.shed()
    startAll(endpoint)[0]?.ended('succeeded')
    expect(endpoint.isIdle).toBe(false)
    jest.advanceTimersByTime(1_000)
    expect(endpoint.isIdle).toBe(true)
    endpoint.dispose()
  })
})
