import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { LookBack } from './look-back.ts'

/**
 * Reads assigned partitions in turn. Like Kafka, a fetch has at most `fetchBytes`, but at least one
 * message.
 */
function readAll(sizes: readonly (readonly number[])[], bytes: number, fetchBytes: number) {
  const assignments = sizes.map((messages) => ({ committed: messages.length, next: 0, messages }))
  const lookBack = new LookBack(bytes, assignments)
  let total = 0
  for (let left = assignments.length; left > 0; ) {
    left = 0
    for (const assignment of assignments) {
      if (assignment.next >= assignment.committed) continue
      const read = { position: assignment.next, messages: 0, bytes: 0 }
      while (read.position < assignment.committed) {
        const size = assignment.messages[read.position] ?? 0
        if (read.messages > 0 && read.bytes + size > fetchBytes) break
        read.position++
        read.messages++
        read.bytes += size
      }
      total += read.bytes
      assignment.next = lookBack.readOn(assignment, read)
      if (assignment.next < assignment.committed) left++
    }
  }
  return total
}

const size = fc.oneof(fc.nat(100), fc.integer({ min: 5_000, max: 20_000 }))

it('reads at most its limit plus one fetch per assigned partition, for any sizes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(size, { maxLength: 300 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 0, max: 200_000 }),
      (sizes, bytes) => {
        const fetchBytes = 30_000
        const most = bytes + sizes.length * fetchBytes
        expect(readAll(sizes, bytes, fetchBytes)).toBeLessThanOrEqual(most)
      },
    ),
  )
})

it('reads everything below the limit', () => {
  const sizes = [[10, 20, 30], [], [5, 5]]
  expect(readAll(sizes, 1_000, 25)).toBe(70)
})

it('skips the oldest messages', () => {
  const assignment = { committed: 1_000 }
  const lookBack = new LookBack(1_000, [assignment])
  expect(lookBack.readOn(assignment, { position: 10, messages: 10, bytes: 100 })).toBe(910)
})
