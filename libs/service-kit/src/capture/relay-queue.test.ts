import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { RelayQueue } from './relay-queue.ts'

const record = (bytes: number) => ({ topic: 't', key: 'k', value: Buffer.alloc(bytes) })
const limit = { records: 100, bytes: 1_000_000 }

describe('RelayQueue', () => {
  it('confirms what other services wrote at once, and ours after its acknowledgement', () => {
    const queue = new RelayQueue(limit)
    queue.mark(10n)
    expect(queue.confirmable()).toBe(10n)
    queue.push(record(1))
    queue.mark(20n)
    queue.mark(30n)
    expect(queue.confirmable()).toBeNull()
    queue.acknowledged(queue.take().length)
    expect(queue.confirmable()).toBe(30n)
    expect(queue.confirmable()).toBeNull()
  })

  it('is full by number or by size, and roomy again below half', () => {
    const queue = new RelayQueue(limit)
    for (let n = 0; n < 100; n++) queue.push(record(10))
    expect([queue.full, queue.roomy]).toEqual([true, false])
    queue.take()
    expect([queue.full, queue.roomy]).toEqual([false, true])
    queue.push(record(999_900))
    expect(queue.full).toBe(true)
  })

  it('hands out at least one record, and else no more than fits a request', () => {
    const queue = new RelayQueue(limit)
    for (const bytes of [2_000_000, 600_000, 600_000]) queue.push(record(bytes))
    expect([queue.take(), queue.take(), queue.take()].map(({ length }) => length)).toEqual([
      1, 1, 1,
    ])
  })

  it('never confirms a position behind which a record is not acknowledged', () => {
    const step = fc.constantFrom('push', 'mark', 'take', 'acknowledge')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new RelayQueue(limit)
        let lsn = 0n
        const open: bigint[] = []
        let taken = 0
        for (const next of steps) {
          lsn += 1n
          if (next === 'push') {
            queue.push(record(1))
            open.push(lsn)
          }
          if (next === 'mark') queue.mark(lsn)
          if (next === 'take') taken += queue.take().length
          if (next === 'acknowledge' && taken > 0) {
            queue.acknowledged(taken)
            open.splice(0, taken)
            taken = 0
          }
          const confirmed = queue.confirmable()
          if (confirmed !== null) expect(confirmed).toBeLessThan(open[0] ?? lsn + 1n)
        }
      }),
    )
  })
})
