import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { ProducedBatch } from './produced-batch.ts'
import { ProducedQueue } from './produced-queue.ts'

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('produce' as const),
      partition: fc.nat(1),
      records: fc.integer({ min: 1, max: 3 }),
      /** Answers of brokers get lost, and come late. */
      answer: fc.constantFrom('now', 'now', 'late', 'never'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('foreign' as const), partition: fc.nat(1) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fetch' as const), partition: fc.nat(1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('seek' as const),
      partition: fc.nat(1),
      back: fc.nat(4),
    }),
  },
)

const bytesOfRecord = 10

class Log {
  end = 0
  position = 0

  append(records: number): number[] {
    const offsets = Array.from({ length: records }, (_, index) => this.end + index)
    this.end += records
    return offsets
  }
}

const batchOf = (partition: number, offsets: readonly number[]): ProducedBatch => ({
  ...{ clusterId: 'one', topic: 'jobs', partition, bytes: offsets.length * bytesOfRecord },
  messages: offsets.map((offset) => ({
    ...{ key: null, value: null, timestamp: '0', attributes: 0, offset: String(offset) },
  })),
})

it('continues at the position of its reader, whatever other processes write and answers do', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const logs = [new Log(), new Log()]
      const queue = new ProducedQueue(8 * bytesOfRecord)
      let late: ProducedBatch[] = []
      for (const each of steps) {
        const log = logs['partition' in each ? each.partition : 0]
        if (log === undefined) throw new Error('no such partition')
        switch (each.kind) {
          case 'produce': {
            const batch = batchOf(each.partition, log.append(each.records))
            if (each.answer === 'now') queue.add(batch)
            else if (each.answer === 'late') late.push(batch)
            break
          }
          case 'foreign':
            log.append(1)
            break
          case 'answer':
            for (const batch of late) queue.add(batch)
            late = []
            break
          case 'take': {
            const { taken } = queue.take(({ partition }) => logs[partition]?.position ?? null)
            for (const { partition, position, messages } of taken) {
              const read = logs[partition]
              if (read === undefined) throw new Error('no such partition')
              // Without a gap, a repetition or another order.
              expect(position).toBe(read.position)
              const offsets = messages.map(({ offset }) => Number(offset))
              expect(offsets).toEqual(offsets.map((_, index) => position + index))
              expect(position + offsets.length).toBeLessThanOrEqual(read.end)
              read.position += offsets.length
            }
            break
          }
          case 'fetch':
            log.position = log.end
            break
          case 'seek':
            log.position = Math.max(0, log.position - each.back)
        }
      }
    }),
    { numRuns: 500 },
  )
})

it('takes records that begin at the position, or below it', () => {
  const queue = new ProducedQueue()
  queue.add(batchOf(0, [4, 5]))
  queue.add(batchOf(0, [6]))
  const { taken, hasGap } = queue.take(() => 5)
  expect(taken).toMatchObject([{ position: 5, messages: [{ offset: '5' }, { offset: '6' }] }])
  expect(hasGap).toBe(false)
  expect(queue.take(() => 7).taken).toEqual([])
})

it('reports records that are missing before a batch, and drops it', () => {
  const queue = new ProducedQueue()
  queue.add(batchOf(0, [4]))
  expect(queue.take(() => 3)).toEqual({ taken: [], hasGap: true })
  expect(queue.take(() => 4)).toEqual({ taken: [], hasGap: false })
})

it('keeps what another call takes, and drops what must not be read now', () => {
  const queue = new ProducedQueue()
  queue.add(batchOf(0, [0]))
  expect(queue.take(() => undefined).taken).toEqual([])
  expect(queue.take(() => 0).taken).toHaveLength(1)
  queue.add(batchOf(0, [1]))
  expect(queue.take(() => null).taken).toEqual([])
  expect(queue.take(() => 1).taken).toEqual([])
})

it('keeps no more bytes than its limit', () => {
  const queue = new ProducedQueue(2 * bytesOfRecord)
  queue.add(batchOf(0, [0, 1]))
  queue.add(batchOf(1, [0]))
  expect(queue.take(() => 0).taken).toMatchObject([{ partition: 0 }])
  queue.add(batchOf(1, [1]))
  expect(queue.take(() => 0)).toEqual({ taken: [], hasGap: true })
})
