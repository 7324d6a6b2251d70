import { expect, it } from '@jest/globals'
import { RerouteBacklog } from './reroute-backlog.ts'

const none = Number.POSITIVE_INFINITY
const unknown = Number.NEGATIVE_INFINITY

/** Endpoints have the ids of their subscriptions. Those that begin with `m` are rerouted. */
function setUp() {
  const paused = new Map<string, number>()
  const added = new Set<string>()
  const visited: string[] = []
  /** Those of subscriptions with another URL. */
  const endpoints = new Map<string, string>()
  const here = { endpoints: [] as { id: string; inFlight: number; queued: number }[] }
  const state = { isComplete: true, waiting: none, rerouting: none }
  const pause = (id: string, arrival: number) => {
    paused.set(id, arrival)
    added.add(id)
  }
  const backlog = new RerouteBacklog({
    subscriptions: {
      entryOf: (id) => {
        visited.push(id)
        const endpointId = endpoints.get(id) ?? id
        return { endpointId: endpointId === 'unreadable' ? null : endpointId } as never
      },
    },
    endpoints: { all: () => here.endpoints as never },
    waiting: {
      get leastArrival() {
        return state.waiting
      },
    },
    router: {
      get leastRerouting() {
        return state.rerouting
      },
    },
    paused: {
      get isComplete() {
        return state.isComplete
      },
      subscriptions: { [Symbol.iterator]: () => paused.keys() },
      takeAdded: () => {
        const taken = [...added]
        added.clear()
        return taken
      },
      leastOf: (id) => paused.get(id),
    },
    isRerouted: (id) => id.startsWith('m'),
  })
  return { backlog, paused, pause, visited, state, here, endpoints }
}

it('visits the paused subscriptions once, and then only those that move or were added', () => {
  const { backlog, paused, pause, visited } = setUp()
  for (const id of ['s1', 's2', 'm1']) pause(id, 5)
  expect(backlog.leastArrival(4)).toBe(5)
  visited.length = 0
  pause('s3', 6)
  pause('m2', 3)
  expect(backlog.leastArrival(4)).toBe(3)
  expect(visited.toSorted()).toEqual(['m1', 'm2', 'm2', 's3'])
  paused.clear()
  expect(backlog.leastArrival(4)).toBe(none)
  visited.length = 0
  expect([backlog.leastArrival(4), visited]).toEqual([none, []])
})

it('visits them again when there are more partitions', () => {
  const { backlog, pause, visited } = setUp()
  pause('s1', 5)
  backlog.leastArrival(4)
  visited.length = 0
  backlog.leastArrival(8)
  expect(visited).toEqual(['s1'])
})

it('does not know the arrivals until everything was read and attempts have ended', () => {
  const { backlog, state, here } = setUp()
  state.isComplete = false
  expect(backlog.leastArrival(4)).toBe(unknown)
  state.isComplete = true
  here.endpoints = [{ id: 'm1', inFlight: 1, queued: 0 }]
  expect(backlog.leastArrival(4)).toBe(unknown)
  here.endpoints = [{ id: 'm1', inFlight: 0, queued: 1 }]
  expect(backlog.leastArrival(4)).toBe(unknown)
  here.endpoints = [
    { id: 'm1', inFlight: 0, queued: 0 },
    { id: 's1', inFlight: 1, queued: 1 },
  ]
  expect(backlog.leastArrival(4)).toBe(none)
})

it('forgets a subscription whose new endpoint belongs here', () => {
  const { backlog, pause, endpoints, visited } = setUp()
  pause('m1', 5)
  expect(backlog.leastArrival(4)).toBe(5)
  endpoints.set('m1', 's1')
  expect(backlog.leastArrival(4)).toBe(none)
  visited.length = 0
  expect([backlog.leastArrival(4), visited]).toEqual([none, []])
})

it('does not wait for an unreadable subscription, whose endpoint is unknown', () => {
  const { backlog, pause, endpoints } = setUp()
  endpoints.set('m1', 'unreadable')
  pause('m1', 5)
  expect(backlog.leastArrival(4)).toBe(none)
})

it('deliveries that leave do not hide the progress of earlier ones', () => {
  const { backlog, state, pause } = setUp()
  pause('m1', 30)
  state.rerouting = 20
  state.waiting = 25
  expect(backlog.leastArrival(4)).toBe(20)
  state.rerouting = none
  expect(backlog.leastArrival(4)).toBe(25)
})
