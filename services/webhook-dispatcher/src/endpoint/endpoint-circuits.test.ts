import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import type { CircuitState, CircuitStore } from './circuit-store.ts'
import { EndpointCircuits } from './endpoint-circuits.ts'

const answered = (status: number): AttemptResult => ({
  ...{ kind: 'responded', status, answer: '', latencyMs: 1 },
})
const closed = { failures: 0, openUntil: 0, openSince: 0, place: null, publishedUntil: 0 }

let stored: Map<string, Partial<CircuitState>>
let changes: [boolean, string | null][]
/** Replaces the store on Redis, which has its own tests. */
const store = {
  forgetAfterMs: 600_000,
  load: async (id: string) => ({ ...closed, ...stored.get(id) }),
  recordFailure: async (id: string, state: Partial<CircuitState>) => void stored.set(id, state),
  reset: async (id: string) => void stored.delete(id),
} as unknown as CircuitStore

let circuits: EndpointCircuits
const open = () =>
  new EndpointCircuits('e', {
    circuit: { store, threshold: 5, cooldownMs: 120_000 },
    onChange: (isOpen, subscriptionId) => void changes.push([isOpen, subscriptionId]),
    isOwned: () => true,
  })

beforeEach(() => {
  jest.useFakeTimers()
  stored = new Map()
  changes = []
  circuits = open()
})
afterEach(() => {
  circuits.dispose()
  jest.useRealTimers()
})

async function answer(subscriptionId: string, ...statuses: number[]): Promise<void> {
  for (const status of statuses)
    await circuits.record({ result: answered(status), subscriptionId, place: null })
}
const openFor = () => ['a', 'b'].filter((id) => circuits.isOpenFor(id))

it.each([400, 401, 403, 404, 410, 413, 431])(
  'an answer %i pauses only the subscription that got it',
  async (status) => {
    await answer('b', ...Array(4).fill(status))
    expect(openFor()).toEqual([])
    await answer('b', status)
    expect(openFor()).toEqual(['b'])
    expect(changes).toEqual([[true, 'b']])
    await answer('a', ...Array(4).fill(500))
    expect(openFor()).toEqual(['b'])
    jest.advanceTimersByTime(120_000)
    expect(openFor()).toEqual([])
  },
)

it.each([302, 408, 429, 500, 503])(
  'an answer %i of any subscription pauses all',
  async (status) => {
    await answer('a', status, status)
    await answer('b', status, status, status)
    expect(openFor()).toEqual(['a', 'b'])
    expect(changes).toEqual([[true, null]])
  },
)

it('five failures in a row of one subscription pause it, whatever they are', async () => {
  await answer('b', 500, 404, 500, 404)
  expect(openFor()).toEqual([])
  await answer('b', 500)
  expect(openFor()).toEqual(['b'])
})

it('a success restarts the count of its subscription', async () => {
  await answer('b', 401, 401, 401, 401, 204, 401, 401, 401, 401)
  expect(openFor()).toEqual([])
  await answer('b', 204)
  expect(stored.size).toBe(0)
  expect(circuits.isQuiet).toBe(true)
})

it('the next owner goes on with the count, and keeps an open circuit open', async () => {
  await answer('b', 401, 401, 401, 401)
  circuits.dispose()
  circuits = open()
  await circuits.restore('b')
  await answer('b', 401)
  expect(openFor()).toEqual(['b'])
  const { openUntil = 0 } = stored.get('e:b') ?? {}
  stored.set('e:b', { ...stored.get('e:b'), openUntil })
  circuits.dispose()
  circuits = open()
  for (const id of ['a', 'b']) await circuits.restore(id)
  expect(openFor()).toEqual(['b'])
  expect(circuits.openSince('b')).toBeLessThanOrEqual(Date.now())
})

it('counts nothing any more once another process may own the endpoint', async () => {
  circuits.dispose()
  await answer('b', 401, 401, 401, 401, 401)
  await circuits.restore('b')
  expect([openFor(), stored.size, jest.getTimerCount()]).toEqual([[], 0, 0])
})

it('a request closes all, and leaves nothing that asks again', async () => {
  await answer('b', 401, 401, 401, 401, 401)
  stored.set('e', { openUntil: 0 })
  await circuits.closeByRequest()
  expect(openFor()).toEqual([])
  expect([...stored.keys()]).toEqual([])
})

it('a subscription that leaves closes its own circuit, and the last one that of all', async () => {
  await answer('b', 401, 401, 401, 401, 401)
  await answer('a', 401, 401, 401, 401, 401)
  circuits.left('b', () => true)
  expect(openFor()).toEqual(['a'])
  circuits.left('a', () => false)
  await answer('a', 500, 500, 500, 500, 500)
  circuits.left('b', () => true)
  expect(openFor()).toEqual(['a', 'b'])
  circuits.left('a', () => false)
  expect(openFor()).toEqual([])
})
