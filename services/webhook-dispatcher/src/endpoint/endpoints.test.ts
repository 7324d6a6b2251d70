import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import { AttemptSlots } from './attempt-slots.ts'
import type { CircuitStore } from './circuit-store.ts'
import { Endpoints, type EndpointsOptions } from './endpoints.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const identity = (endpointId: string) => ({ endpointId, projectId: 'p' })
const forgetAfterMs = 600_000
/** The number of endpoints that are always kept. */
const many = 2_000
const failure: AttemptResult = {
  kind: 'unreachable',
  errorClass: 'refused',
  message: '',
  latencyMs: 1,
}

/** Replaces the store on Redis, which has its own tests. */
const store = {
  forgetAfterMs,
  load: async () => ({ failures: 0, openUntil: 0, openSince: 0, place: null }),
  recordFailure: async () => undefined,
} as unknown as CircuitStore

/** Waits until the stored state was loaded. */
const restored = () => jest.advanceTimersByTimeAsync(0)

type Circuits = Partial<EndpointsOptions['circuit']>

function setUp(circuit: Circuits = {}, wasUsedAt: EndpointsOptions['wasUsedAt'] = () => true) {
  const options = {
    circuit: { store, threshold: 5, cooldownMs: 1_000, ...circuit },
    limits: { maxInFlight: 1, maxLocalWaitMs: () => 1 },
    slots: new AttemptSlots(),
    pressure: () => false,
    wasUsedAt,
    isOwned: () => true,
  }
  return new Endpoints<never>(options)
}

it('forgets endpoints that failed a few times, long ago', async () => {
  const endpoints = setUp()
  for (let n = 0; n < many; n++) endpoints.of(identity(`e${n}`))
  await restored()
  for (const { circuits } of endpoints.all()) await circuits.receiver.record(failure)
  endpoints.of(identity('another'))
  expect([...endpoints.all()].length).toBe(many + 1)
  jest.advanceTimersByTime(forgetAfterMs)
  for (let n = 0; n < many; n++) endpoints.of(identity(`f${n}`))
  const old = [...endpoints.all()].filter(({ id }) => id.startsWith('e'))
  expect(old.length).toBe(0)
  endpoints.dispose()
})

it('counts from one again after that time', async () => {
  const endpoints = setUp()
  const circuit = endpoints.of(identity('e')).circuits.receiver
  await restored()
  for (let n = 0; n < 4; n++) await circuit.record(failure)
  jest.advanceTimersByTime(forgetAfterMs)
  await circuit.record(failure)
  expect(circuit.isOpen).toBe(false)
  for (let n = 0; n < 4; n++) await circuit.record(failure)
  expect(circuit.isOpen).toBe(true)
  endpoints.dispose()
})

it('does not take over an opening from before its webhooks, which belongs to deleted ones', async () => {
  const now = Date.now()
  const place = { projectId: 'p', environment: 'master', url: 'https://a.example/' }
  const opening = { openSince: now - 500, openUntil: now + 500, place, publishedUntil: now + 500 }
  const reset = jest.fn(async () => undefined)
  const load = async () => ({ failures: 0, ...opening })
  const publish = jest.fn()
  const opened = { forgetAfterMs, load, reset } as unknown as CircuitStore
  const circuit = { store: opened, events: { publish } }
  const createdAt: Record<string, number> = { old: now - 1_000, remade: now }
  const endpoints = setUp(circuit, (id, at) => (createdAt[id] ?? now) <= at)
  const isOpen = (id: string) => endpoints.of(identity(id)).circuits.receiver.isOpen
  expect([isOpen('old'), isOpen('remade')]).toEqual([false, false])
  await restored()
  expect([isOpen('old'), isOpen('remade')]).toEqual([true, false])
  expect(reset.mock.calls).toEqual([['remade']])
  await jest.advanceTimersByTimeAsync(1_000)
  expect(publish).toHaveBeenCalledTimes(1)
  endpoints.dispose()
})
