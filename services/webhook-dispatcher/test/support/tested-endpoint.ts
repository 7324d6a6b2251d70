import { expect, jest } from '@jest/globals'
import { Endpoint, type EndpointOptions, type StartedAttempt } from '../../src/endpoint/endpoint.ts'
import type { EndpointCircuits } from '../../src/endpoint/endpoint-circuits.ts'

export const limits = { maxInFlight: 4, maxLocalWaitMs: () => 250 }
export const options = { limits, pressure: () => true }

/** Replaces the circuits, which have their own tests. */
export const circuitsOf = (receiver: { isOpen: boolean }, refused = new Set<string>()) =>
  ({
    ...{ receiver, isQuiet: true, dispose: () => {}, restore: async () => {} },
    isOpenFor: (id: string) => receiver.isOpen || refused.has(id),
  }) as unknown as EndpointCircuits

/** An endpoint whose jobs are of one subscription, unless a test names another. */
class TestedEndpoint extends Endpoint<number> {
  override enqueue(job: number, subscriptionId = 's'): void {
    super.enqueue(job, subscriptionId)
  }
}

type Tested = { circuits?: EndpointCircuits; own?: EndpointOptions; onMayStart?: () => void }

export async function endpointWith({ circuits, own = options, onMayStart }: Tested = {}) {
  const of = circuits ?? circuitsOf({ isOpen: false })
  const endpoint = new TestedEndpoint('e', of, own, onMayStart)
  endpoint.ready = true
  // Their own circuits are loaded.
  for (const id of ['s', 'a', 'b']) endpoint.slotsForPaused(id)
  for (let nth = 0; nth < 4; nth++) await Promise.resolve()
  return endpoint
}

/** Starts every job that may start, and returns the callbacks that end them. */
export function startAll(endpoint: Endpoint<number>) {
  const started: StartedAttempt<number>[] = []
  for (let next = endpoint.next(); next; next = endpoint.next()) started.push(next)
  return started
}

/** Calls `shed` when the queue becomes too long, and again after that has lasted. */
export function shedForLong(endpoint: Endpoint<number>): number[] {
  expect(endpoint.shed()).toEqual([])
  jest.advanceTimersByTime(500)
  return endpoint.shed()
}
