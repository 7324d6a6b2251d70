import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { type RelayedRecord, RelayQueue } from './relay-queue.ts'

const record = (bytes: number) => ({ topic: 't', key: 'k', value: Buffer.alloc(bytes) })
const limit = { records: 100, bytes: 1_000_000 }
const acknowledgeAll = (queue: RelayQueue) => {
  for (const relayed of queue.take()) queue.acknowledged(relayed)
}

describe('RelayQueue', () => {
  it("confirms other services' messages at once, and its own after their acknowledgement", () => {
    const queue = new RelayQueue(limit)
    queue.mark(10n)
    expect(queue.confirmable()).toBe(10n)
    queue.push(record(1))
    queue.mark(20n)
    queue.mark(30n)
    expect(queue.confirmable()).toBeNull()
    acknowledgeAll(queue)
    expect(queue.confirmable()).toBe(30n)
    expect(queue.confirmable()).toBeNull()
  })

  it('is full by number or by size, and has room again below half of both', () => {
    const queue = new RelayQueue(limit)
    for (let n = 0; n < 100; n++) queue.push(record(10))
    expect([queue.full, queue.roomy]).toEqual([true, false])
    acknowledgeAll(queue)
    expect([queue.full, queue.roomy]).toEqual([false, true])
    queue.push(record(999_900))
    expect(queue.full).toBe(true)
  })

  it('continues past an unacknowledged record up to its limit', () => {
    const queue = new RelayQueue(limit)
    queue.push(record(1))
    const [stuck] = queue.take()
    for (let n = 0; n < 98; n++) {
      queue.push(record(1))
      acknowledgeAll(queue)
    }
    expect(queue.held.records).toBe(1)
    expect([queue.full, queue.oldest]).toEqual([false, stuck])
    queue.push(record(1))
    acknowledgeAll(queue)
    expect(queue.full).toBe(true)
    if (stuck !== undefined) queue.acknowledged(stuck)
    expect([queue.roomy, queue.oldest]).toEqual([true, undefined])
  })

  it('returns at least one record, and never more than fits into a request', () => {
    const queue = new RelayQueue(limit)
    for (const bytes of [2_000_000, 600_000, 600_000]) queue.push(record(bytes))
    expect([queue.take(), queue.take(), queue.take()].map(({ length }) => length)).toEqual([
      1, 1, 1,
    ])
  })

  it('never confirms a position after an unacknowledged record, in any order of acknowledgements', () => {
    const step = fc.oneof(
      fc.constantFrom('push', 'mark', 'take'),
      fc.nat().map((which) => ({ which })),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new RelayQueue(limit)
        let lsn = 0n
        const open: bigint[] = []
        const lsns = new Map<RelayedRecord, bigint>()
        const taken: RelayedRecord[] = []
        const acknowledged = new Set<bigint>()
        for (const next of steps) {
          lsn += 1n
          if (next === 'push') {
            queue.push(record(1))
            open.push(lsn)
          } else if (next === 'mark') queue.mark(lsn)
          else if (next === 'take') {
            for (const relayed of queue.take()) {
              lsns.set(relayed, open[lsns.size] ?? 0n)
              taken.push(relayed)
            }
          } else if (taken.length > 0) {
            const [relayed] = taken.splice(next.which % taken.length, 1) as [RelayedRecord]
            queue.acknowledged(relayed)
            acknowledged.add(lsns.get(relayed) ?? 0n)
          }
          const oldest = open.find((each) => !acknowledged.has(each))
          const confirmed = queue.confirmable()
          if (confirmed !== null) expect(confirmed).toBeLessThan(oldest ?? lsn + 1n)
        }
      }),
    )
  })
})
