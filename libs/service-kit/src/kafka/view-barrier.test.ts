import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { RequestEvent } from 'kafkajs'
import { pino } from 'pino'
import { fetchWaitMs } from './supervised-consumer.ts'
import { ViewBarrier } from './view-barrier.ts'

const log = pino({ level: 'silent' })
const leader = 'leader:9092'

/** The log of one partition, whose end is read only when the test says so. */
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
    leaderOf: async () => leader,
  }
  const barrier = new ViewBarrier(ends, { topics: ['t'], withinMs: 5_000, log })
  return { barrier, reads, partition, first }
}

/** Lets everything run that does not wait for time or for the test. */
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

  it('asks once for all who came before, and again for who comes while it asks', async () => {
    const { barrier, reads, partition } = openBarrier()
    const first = [stateOf(barrier.reached()), stateOf(barrier.reached())]
    await settle()
    expect(reads).toHaveLength(1)
    // Acknowledged after the brokers were asked: the answer on its way does not know of it.
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

  it('counts what was deleted at the start as applied', async () => {
    const { barrier, reads, partition, first } = openBarrier()
    first.start = 5
    partition.end = 5
    const caller = stateOf(barrier.reached())
    await settle()
    reads[0]?.resolve()
    await settle()
    expect([caller.now, barrier.next('t', 0)]).toEqual(['passed', 5])
  })

  it('refuses who waited too long', async () => {
    const { barrier, reads, partition } = openBarrier()
    partition.end = 1
    const caller = stateOf(barrier.reached())
    await settle()
    reads[0]?.resolve()
    await jest.advanceTimersByTimeAsync(5_001)
    expect(caller.now).toBe('refused')
  })

  describe('at an end that holds nothing to read', () => {
    type Fetch = RequestEvent['payload']
    const quiet = (sentAt: number, changes: object = {}) =>
      ({ apiName: 'Fetch', broker: leader, sentAt, duration: fetchWaitMs, ...changes }) as Fetch

    async function atGap() {
      const opened = openBarrier()
      opened.partition.end = 1
      const caller = stateOf(opened.barrier.reached())
      await settle()
      opened.reads[0]?.resolve()
      await settle()
      const now = performance.now()
      const fetched = async (...fetches: Fetch[]) => {
        for (const fetch of fetches) {
          const answeredAt = fetch.sentAt + fetch.duration
          await jest.advanceTimersByTimeAsync(Math.max(0, answeredAt - performance.now()))
          opened.barrier.quiet.saw(fetch)
        }
        await opened.barrier.closeGaps()
        await settle()
        return caller.now
      }
      return { ...opened, now, fetched }
    }

    it('passes after two fetches of the leader that waited in vain', async () => {
      const { now, fetched } = await atGap()
      expect(await fetched(quiet(now + 1))).toBe('waiting')
      expect(await fetched(quiet(now + 300))).toBe('passed')
    })

    it.each([
      ['were sent before the end was read', [{ sentAt: -300 }, { sentAt: 0 }]],
      ['came from another broker', [{ broker: 'b:9092' }, { broker: 'b:9092' }]],
      ['came back early', [{ duration: 20 }, { duration: 20 }]],
      ['were no fetches', [{ apiName: 'Heartbeat' }, { apiName: 'Heartbeat' }]],
    ])('does not count fetches that %s', async (_what, changes) => {
      const { now, fetched } = await atGap()
      const fetches = changes.map(({ sentAt = 1, ...rest }: { sentAt?: number }) =>
        quiet(now + sentAt, rest),
      )
      expect(await fetched(...fetches)).toBe('waiting')
    })

    it('takes fetches that were slow and brought something for no gap', async () => {
      const opened = openBarrier()
      opened.partition.end = 3
      const caller = stateOf(opened.barrier.reached())
      await settle()
      opened.reads[0]?.resolve()
      await settle()
      for (const next of [1, 2]) {
        opened.barrier.quiet.saw(quiet(performance.now()))
        await opened.barrier.closeGaps()
        await jest.advanceTimersByTimeAsync(1)
        opened.barrier.advance('t', 0, next)
        await jest.advanceTimersByTimeAsync(fetchWaitMs)
      }
      opened.barrier.quiet.saw(quiet(performance.now()))
      await opened.barrier.closeGaps()
      await settle()
      expect([caller.now, opened.barrier.next('t', 0)]).toEqual(['waiting', 2])
    })

    it('begins again after data, and after joining the group again', async () => {
      const { barrier, now, fetched } = await atGap()
      expect(await fetched(quiet(now + 1), quiet(now + 300, { duration: 3 }))).toBe('waiting')
      expect(await fetched(quiet(now + 600))).toBe('waiting')
      barrier.quiet.reset()
      expect(await fetched(quiet(now + 900))).toBe('waiting')
      expect(await fetched(quiet(now + 1_200))).toBe('passed')
    })
  })
})
