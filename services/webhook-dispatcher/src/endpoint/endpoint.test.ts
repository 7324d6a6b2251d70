import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { Circuit } from './circuit.ts'
import { Endpoint } from './endpoint.ts'

const limits = { maxInFlight: 4, maxLocalWaitMs: () => 250 }
const options = { limits, pressure: () => true }

function endpointWith(circuit: { isOpen: boolean }) {
  const endpoint = new Endpoint<number>('e', circuit as Circuit, options)
  endpoint.ready = true
  return endpoint
}

/** Starts whatever may start and gives the callbacks that end it. */
function startAll(endpoint: Endpoint<number>) {
  const started: { job: number; ended: (succeeded: boolean | undefined) => void }[] = []
  for (let next = endpoint.next(); next; next = endpoint.next()) started.push(next)
  return started
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
    expect(endpoint.room).toBeGreaterThan(500)
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.room).toBe(0)
    expect(endpoint.shed()).toHaveLength(92)
    expect(endpoint.queued).toBe(4)
  })

  it('keeps everything while nobody else is kept from reading on', () => {
    const circuit = { isOpen: false } as Circuit
    const endpoint = new Endpoint<number>('e', circuit, { limits, pressure: () => false })
    endpoint.ready = true
    for (let job = 0; job < 100; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.accepts).toBe(true)
    expect(endpoint.shed()).toEqual([])
    expect(endpoint.room).toBe(0)
  })

  it('gives up the latest arrivals, so that what stays is still first', () => {
    const endpoint = endpointWith({ isOpen: false })
    for (let job = 0; job < 20; job++) endpoint.enqueue(job)
    startAll(endpoint)
    jest.advanceTimersByTime(5_000)
    expect(endpoint.shed()[0]).toBe(8)
  })

  it('starts nothing and keeps nothing while the circuit is open', () => {
    const circuit = { isOpen: false }
    const endpoint = endpointWith(circuit)
    endpoint.enqueue(1)
    circuit.isOpen = true
    expect(endpoint.next()).toBeUndefined()
    expect(endpoint.room).toBe(0)
    expect(endpoint.shed()).toEqual([1])
  })

  it('comes back with a few in flight and doubles with each success', () => {
    const endpoint = endpointWith({ isOpen: false })
    endpoint.ramp()
    for (let job = 0; job < 10; job++) endpoint.enqueue(job)
    const first = startAll(endpoint)
    expect(first).toHaveLength(2)
    first[0]?.ended(false)
    expect(startAll(endpoint)).toHaveLength(1)
    first[1]?.ended(true)
    expect(startAll(endpoint)).toHaveLength(3)
  })

  it('waits until the circuit of an earlier owner is known', () => {
    const endpoint = new Endpoint<number>('e', { isOpen: false } as Circuit, options)
    endpoint.enqueue(1)
    expect(endpoint.next()).toBeUndefined()
    endpoint.ready = true
    expect(endpoint.next()?.job).toBe(1)
  })
})
