import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { CircuitChange } from '@surehook/contracts/events/delivery-events'
import type { EndpointPlace } from '@surehook/contracts/ids'
import CircuitBreaker from 'opossum'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'
import { Circuit } from './circuit.ts'
import type { CircuitState, CircuitStore } from './circuit-store.ts'

const failure: AttemptResult = {
  kind: 'unreachable',
  errorClass: 'refused',
  message: '',
  latencyMs: 1,
}
const success: AttemptResult = { kind: 'responded', status: 204, answer: '', latencyMs: 1 }

/** Holds the state that another process left. The real store is tested with Redis. */
function storeWith(state: Partial<CircuitState>) {
  return {
    load: async () => ({
      failures: 0,
      openUntil: 0,
      openSince: 0,
      place: null,
      publishedUntil: 0,
      ...state,
    }),
    recordFailure: async () => undefined,
    reset: async () => undefined,
  } as unknown as CircuitStore
}

const shared = { endpointId: 'e', webhookId: null }

describe('Circuit', () => {
  let changes: boolean[]
  beforeEach(() => {
    changes = []
    jest.useFakeTimers()
  })
  afterEach(() => void jest.useRealTimers())

  const circuitOf = (state: Partial<CircuitState> = {}) =>
    new Circuit(shared, { store: storeWith(state), threshold: 5, cooldownMs: 120_000 }, (open) =>
      changes.push(open),
    )

  it('opens on the fifth consecutive failure and not on the fourth', async () => {
    const circuit = circuitOf()
    for (let i = 0; i < 4; i++) await circuit.record(failure)
    expect(circuit.isOpen).toBe(false)
    void circuit.record(failure)
    expect(circuit.isOpen).toBe(true)
    expect(changes).toEqual([true])
  })

  it('counts nothing any more once another process may own the endpoint', async () => {
    const circuit = circuitOf()
    circuit.dispose()
    for (let i = 0; i < 5; i++) await circuit.record(failure)
    expect(circuit.isOpen).toBe(false)
    expect(changes).toEqual([])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('forgets attempts that are long past', async () => {
    const fire = jest.spyOn(CircuitBreaker.prototype, 'fire')
    const circuit = circuitOf()
    for (let n = 0; n < 3_500; n++) await circuit.fire(async () => (n % 2 ? success : failure))
    const [breaker] = fire.mock.contexts as CircuitBreaker[]
    fire.mockRestore()
    const kept = breaker?.status.window.flatMap(({ latencyTimes }) => latencyTimes)
    expect(kept?.length).toBeLessThanOrEqual(1_000)
    expect(circuit.isOpen).toBe(false)
  })

  it('counts only failures in a row', async () => {
    const circuit = circuitOf()
    for (const result of [failure, failure, failure, failure, success, failure, failure]) {
      await circuit.record(result)
    }
    expect(circuit.isOpen).toBe(false)
  })

  it('stays open for at most a cooldown, whatever the clock of its last owner', async () => {
    const circuit = circuitOf({ failures: 5, openUntil: Date.now() + 26 * 3_600_000 })
    await circuit.restore()
    expect(circuit.isOpen).toBe(true)
    jest.advanceTimersByTime(120_000)
    expect(circuit.isOpen).toBe(false)
  })

  it('makes no attempt while it is open', async () => {
    const circuit = circuitOf()
    for (let i = 0; i < 5; i++) await circuit.record(failure)
    const post = jest.fn(async () => success)
    await expect(circuit.fire(post)).rejects.toMatchObject({ code: 'EOPENBREAKER' })
    expect(post).not.toHaveBeenCalled()
  })

  it('closes when the cooldown is over, and counts from zero again', async () => {
    const circuit = circuitOf()
    for (let i = 0; i < 5; i++) await circuit.record(failure)
    jest.advanceTimersByTime(119_999)
    expect(circuit.isOpen).toBe(true)
    jest.advanceTimersByTime(1)
    expect(circuit.isOpen).toBe(false)
    for (let i = 0; i < 4; i++) await circuit.record(failure)
    expect(circuit.isOpen).toBe(false)
  })

  it('is neither closed by a late success nor extended by a late failure', async () => {
    const circuit = circuitOf()
    for (let i = 0; i < 5; i++) await circuit.record(failure)
    jest.advanceTimersByTime(60_000)
    await circuit.record(success)
    expect(circuit.isOpen).toBe(true)
    await circuit.record(failure)
    jest.advanceTimersByTime(60_000)
    expect(circuit.isOpen).toBe(false)
  })

  it('continues with the state of the last owner', async () => {
    const counting = circuitOf({ failures: 4, openUntil: 0 })
    await counting.restore()
    void counting.record(failure)
    expect(counting.isOpen).toBe(true)

    const open = circuitOf({ failures: 0, openUntil: Date.now() + 1_000 })
    await open.restore()
    expect(open.isOpen).toBe(true)
    jest.advanceTimersByTime(1_000)
    expect(open.isOpen).toBe(false)
  })

  it('knows since when it is open, as does its next owner', async () => {
    const [circuit, openedAt] = [circuitOf(), Date.now()]
    expect(circuit.openSince).toBe(Number.POSITIVE_INFINITY)
    for (let i = 0; i < 5; i++) await circuit.record(failure)
    jest.advanceTimersByTime(1_000)
    expect(circuit.openSince).toBe(openedAt)
    const next = circuitOf({ openUntil: openedAt + 120_000, openSince: openedAt })
    await next.restore()
    expect(next.openSince).toBe(openedAt)
    jest.advanceTimersByTime(119_000)
    expect([circuit.openSince, next.openSince]).toEqual([Infinity, Infinity])
  })

  it('keeps the time of its opening when the cooldown has changed since', async () => {
    const openSince = Date.now() - 60_000
    const circuit = circuitOf({ openUntil: Date.now() + 1_000, openSince })
    await circuit.restore()
    expect(circuit.openSince).toBe(openSince)
  })

  it('opened at the latest now, whatever the clock of its last owner', async () => {
    const openSince = Date.now() + 3_600_000
    const circuit = circuitOf({ openUntil: openSince + 120_000, openSince })
    await circuit.restore()
    expect(circuit.openSince).toBe(Date.now())
  })

  it('forgets an opening that ended without an owner, in the store too', async () => {
    const past = storeWith({ failures: 3, openUntil: Date.now() - 1 })
    const reset = jest.spyOn(past, 'reset')
    const circuit = new Circuit(
      shared,
      { store: past, threshold: 5, cooldownMs: 1 },
      () => undefined,
    )
    await circuit.restore()
    expect(reset).toHaveBeenCalledWith('e')
    for (let i = 0; i < 4; i++) await circuit.record(failure)
    expect(circuit.isOpen).toBe(false)
    void circuit.record(failure)
    expect(circuit.isOpen).toBe(true)
  })

  it('gives the result of a failed attempt, not opossum’s error', async () => {
    expect(await circuitOf().fire(async () => failure)).toBe(failure)
    expect(await circuitOf().fire(async () => success)).toBe(success)
  })
})

describe('the events of a circuit', () => {
  const place = { projectId: 'p', environment: 'master', url: 'https://receiver.example/' }
  const cooldownMs = 120_000
  let published: CircuitChange[]
  beforeEach(() => {
    published = []
    jest.useFakeTimers()
  })
  afterEach(() => void jest.useRealTimers())

  const publishing = (state: Partial<CircuitState> = {}) => {
    const events = { publish: (change: CircuitChange) => void published.push(change) }
    return new Circuit(
      shared,
      { store: storeWith(state), threshold: 5, cooldownMs, events },
      () => {},
    )
  }
  const fail = async (circuit: Circuit, places: (EndpointPlace | null)[]) => {
    for (const one of places) await circuit.record(failure, one)
  }
  const openings = () => published.map(({ isOpen, openUntil }) => [isOpen, openUntil])

  it('are published for its opening and for its end', async () => {
    const openUntil = Date.now() + cooldownMs
    await fail(publishing(), Array(5).fill(place))
    expect(openings()).toEqual([[true, openUntil]])
    jest.advanceTimersByTime(cooldownMs)
    expect(openings()).toEqual([
      [true, openUntil],
      [false, openUntil],
    ])
    expect(published[0]).toMatchObject({ endpointId: 'e', place })
  })

  it('are published for its end by request', async () => {
    const circuit = publishing()
    await fail(circuit, Array(5).fill(place))
    circuit.closeByRequest()
    expect(published.map(({ isOpen }) => isOpen)).toEqual([true, false])
  })

  it('do not come of deliveries about deliveries, however often it opens', async () => {
    const circuit = publishing()
    for (let round = 0; round < 20; round++) {
      await fail(circuit, Array(5).fill(null))
      expect(circuit.isOpen).toBe(true)
      jest.advanceTimersByTime(cooldownMs)
    }
    expect(published).toEqual([])
  })

  it('come of one other failure among those that opened it, and of no earlier one', async () => {
    const circuit = publishing()
    await fail(circuit, [place])
    await circuit.record(success)
    await fail(circuit, Array(5).fill(null))
    expect(published).toEqual([])
    jest.advanceTimersByTime(cooldownMs)
    await fail(circuit, [null, null, place, null, null])
    expect(published).toHaveLength(1)
    jest.advanceTimersByTime(cooldownMs)
    await fail(circuit, Array(5).fill(null))
    expect(published).toHaveLength(2)
  })

  it('are published by the next owner if the last one was killed before', async () => {
    const openUntil = Date.now() + 1_000
    await publishing({ openUntil, place }).restore()
    expect(openings()).toEqual([[true, openUntil]])
    jest.advanceTimersByTime(1_000)
    expect(openings()).toEqual([
      [true, openUntil],
      [false, openUntil],
    ])
  })

  it.each([
    ['only for its end if the opening was published', { published: true }, [false]],
    ['for both if nothing was published', { published: false }, [true, false]],
  ])(
    'are published after an opening that ended without an owner: %s',
    async (_name, given, expected) => {
      const openUntil = Date.now() - 1
      await publishing({
        openUntil,
        place,
        publishedUntil: given.published ? openUntil : 0,
      }).restore()
      expect(published.map(({ isOpen }) => isOpen)).toEqual(expected)
    },
  )

  it('are not repeated by the next owner', async () => {
    const openUntil = Date.now() + 1_000
    await publishing({ openUntil, place, publishedUntil: openUntil }).restore()
    expect(published).toEqual([])
  })

  it('continue with the failures that the last owner counted', async () => {
    const circuit = publishing({ failures: 4, place })
    await circuit.restore()
    await fail(circuit, [null])
    expect(published).toHaveLength(1)
  })
})
