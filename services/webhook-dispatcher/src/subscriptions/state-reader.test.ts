import { describe, expect, it } from '@jest/globals'
import type { SubscriptionState } from '@surehook/contracts/events'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { UndecodableError } from '@surehook/schemas/codec'
import { pino } from 'pino'
import { StateReader } from './state-reader.ts'

type LogRecord = { offset: number; value: Buffer | null }

/** A reader of a log. A fetch has at most `batch` records. From `hidden` on, none is found. */
function setUp(log: readonly LogRecord[], { batch = 10, hidden = -1 } = {}) {
  const fetches: number[] = []
  let failures = 0
  const reader = new StateReader({
    reader: {
      readFrom: async ({ offset }) => {
        fetches.push(offset)
        if (failures-- > 0) throw new Error('Kafka does not answer')
        if (offset === hidden && !log.some((one) => one.offset === hidden)) return []
        const from = log.filter((one) => one.offset >= offset).slice(0, batch)
        return from.map((one) => ({ ...message, ...one, offset: String(one.offset) }))
      },
    },
    codec: {
      decode: (value): SubscriptionState => {
        if (String(value) === 'bad') throw new UndecodableError('bad')
        return aSubscription({ id: String(value) })
      },
    },
    log: pino({ level: 'silent' }),
  })
  return { reader, fetches, fail: (times: number) => (failures = times) }
}

const message = { key: null, timestamp: '0', attributes: 0, headers: {} }
const logged = (...offsets: number[]): LogRecord[] =>
  offsets.map((offset) => ({ offset, value: Buffer.from(`s${offset}`) }))

describe('StateReader', () => {
  it('reads what lies together at once', async () => {
    const { reader, fetches } = setUp(logged(0, 1, 2, 3))
    const read = await Promise.all([3, 1, 2].map((offset) => reader.read(offset)))
    expect(read.map((state) => typeof state === 'object' && state.id)).toEqual(['s3', 's1', 's2'])
    expect(fetches).toEqual([1])
  })

  it('fetches again for what the first fetch did not have', async () => {
    const { reader, fetches } = setUp(logged(0, 1, 2, 3), { batch: 2 })
    await Promise.all([0, 3].map((offset) => reader.read(offset)))
    expect(fetches).toEqual([0, 3])
  })

  it('tells a record that was compacted, and one that is no state', async () => {
    const log = [...logged(5), { offset: 6, value: Buffer.from('bad') }, { offset: 7, value: null }]
    const { reader } = setUp(log)
    expect(await Promise.all([4, 6, 7].map((offset) => reader.read(offset)))).toEqual([
      'replaced',
      'unreadable',
      'replaced',
    ])
  })

  it('asks again when Kafka does not answer', async () => {
    const { reader, fail } = setUp(logged(0))
    fail(1)
    expect(await reader.read(0)).toMatchObject({ id: 's0' })
  })

  it('reads what lies behind an offset that has nothing now', async () => {
    const log = logged(7)
    const { reader } = setUp(log, { hidden: 5 })
    const missing = reader.read(5)
    expect(await reader.read(7)).toMatchObject({ id: 's7' })
    log.unshift(...logged(5))
    expect(await missing).toMatchObject({ id: 's5' })
  })
})
