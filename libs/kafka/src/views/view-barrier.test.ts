import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { pino } from 'pino'
import { ViewBarrier } from './view-barrier.ts'

const log = pino({ level: 'silent' })

/** The log of one partition, whose end is read only when the test resolves it. */
function openBarrier() {
  const reads: PromiseWithResolvers<void>[] = []
  const partition = { topic: 't', partition: 0, end: 0 }
  const first = { topic: 't', partition: 0, start: 0 }
  const read = async (sending?: () => void) => {
    sending?.()
    const answered = Promise.withResolvers<void>()
    reads.push(answered)
    const answer = [{ ...partition }]
    await answered.promise
    return answer
  }
  const ends = {
    read,
    readBounds: async (sending?: () => void) =>
      (await read(sending)).map((end) => ({ ...end, start: first.start })),
  }
  const barrier = new ViewBarrier(ends, { topics: ['t'], withinMs: 5_000, log })
  return { barrier, reads, partition, first }
}

/** Runs everything that does not wait for time or for the test. */
const settle = () => jest.advanceTimersByTimeAsync(0)

const stateOf = (work: Promise<void>) => {
  const state = { now: 'waiting' }
  work.then(
    () => (state.now = 'passed'),
    () => (state.now = 'refused'),
  )
  return state
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

describe('ViewBarrier', () => {
  it('waits until everything below the end is applied', async () => {
    const { barrier, reads, partition } = openBarrier()
    partition.end = 2
    const caller = stateOf(barrier.reached())
    await settle()
    reads[0]?.resolve()
    await settle()
    barrier.advance('t', 0, 1)
    await settle()
    expect(caller.now).toBe('waiting')
    barrier.advance('t', 0, 2)
    await settle()
    expect(caller.now).toBe('passed')
  })

  it('sends one request for all earlier calls, and another for calls during it', async () => {
    const { barrier, reads, partition } = openBarrier()
    const first = [stateOf(barrier.reached()), stateOf(barrier.reached())]
    await settle()
    expect(reads).toHaveLength(1)
    // Acknowledged after the request was sent, so the running answer does not include it.
    partition.end = 1
    const later = stateOf(barrier.reached())
    reads[0]?.resolve()
    await settle()
    expect(first.map(({ now }) => now)).toEqual(['passed', 'passed'])
    reads[1]?.resolve()
    await settle()
    expect([reads.length, later.now]).toEqual([2, 'waiting'])
    barrier.advance('t', 0, 1)
    await settle()
    expect(later.now).toBe('passed')
  })

  it('counts records that were deleted at the start as applied', async () => {
    const { barrier, reads, partition, first } = openBarrier()
    first.start = 5
    partition.end = 5
    const caller = stateOf(barrier.reached())
    await settle()
    reads[0]?.resolve()
    await settle()
    expect([caller.now, barrier.next('t', 0)]).toEqual(['passed', 5])
  })

  it('rejects callers that waited too long', async () => {
    const { barrier, reads, partition } = openBarrier()
    partition.end = 1
    const caller = stateOf(barrier.reached())
    await settle()
    reads[0]?.resolve()
    await jest.advanceTimersByTimeAsync(5_001)
    expect(caller.now).toBe('refused')
  })

  it('passes an end without readable records once the leader has reported it', async () => {
    const { barrier, reads, partition } = openBarrier()
    partition.end = 3
    const caller = stateOf(barrier.reached())
    await settle()
    reads[0]?.resolve()
    await settle()
    // This fetch reports an end of the log that is lower than the current one.
    barrier.empty({ topic: 't', partition: 0, from: 0, to: 2 })
    await settle()
    expect([caller.now, barrier.next('t', 0)]).toEqual(['waiting', 2])
    barrier.empty({ topic: 't', partition: 1, from: 0, to: 3 })
    await settle()
    expect(caller.now).toBe('waiting')
    barrier.empty({ topic: 't', partition: 0, from: 2, to: 3 })
    await settle()
    expect(caller.now).toBe('passed')
  })
})
