import { expect, it } from '@jest/globals'
import { formatWalPosition, statesPositionHeader } from '@surehook/contracts/wal-position'
import { KnownStates } from './known-states.ts'

const origin = { systemId: '7', timeline: '1' }

/** Changes with these positions; `null` for one without. */
const batchOf = (...positions: (bigint | null)[]) => ({
  messages: positions.map((lsn) => messageOf(lsn === null ? null : formatWalPosition(origin, lsn))),
})

function messageOf(position: string | null) {
  const headers = position === null ? {} : { [statesPositionHeader]: Buffer.from(position) }
  return { key: null, value: null, timestamp: '0', offset: '0', attributes: 0, headers }
}

it('covers changes whose position was reached, and no later ones', () => {
  const known = new KnownStates()
  expect(known.cover(batchOf(5n))).toBe(false)
  known.add(batchOf(3n, 5n))
  expect(known.cover(batchOf(5n, 4n))).toBe(true)
  expect(known.cover(batchOf(5n, 6n))).toBe(false)
  known.add(batchOf(4n))
  expect(known.cover(batchOf(5n))).toBe(true)
})

it('covers no batch with a change that does not say its position', () => {
  const known = new KnownStates()
  known.add(batchOf(5n, null))
  expect(known.cover(batchOf(5n))).toBe(true)
  expect(known.cover(batchOf(5n, null))).toBe(false)
  expect(known.cover({ messages: [messageOf('5')] })).toBe(false)
})

it('takes positions of another cluster or a later timeline for unknown', () => {
  const known = new KnownStates()
  known.add(batchOf(5n))
  const other = { messages: [messageOf(formatWalPosition({ systemId: '8', timeline: '1' }, 1n))] }
  expect(known.cover(other)).toBe(false)
  known.add(other)
  expect(known.cover(other)).toBe(true)
  expect(known.cover(batchOf(5n))).toBe(false)
  known.add(batchOf(5n))
  const promoted = formatWalPosition({ systemId: '7', timeline: '2' }, 1n)
  expect(known.cover({ messages: [messageOf(promoted)] })).toBe(false)
})
