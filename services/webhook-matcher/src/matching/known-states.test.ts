import { expect, it } from '@jest/globals'
import { formatWalPosition, statesPositionHeader } from '@surehook/contracts/wal-position'
import { KnownStates } from './known-states.ts'

const at = (lsn: bigint) => formatWalPosition({ systemId: '7', timeline: '1' }, lsn)

/** A batch of changes with these positions; `null` for a change without one. */
const batchOf = (...positions: (string | null)[]) => ({ messages: positions.map(messageOf) })

function messageOf(position: string | null) {
  const headers = position === null ? {} : { [statesPositionHeader]: Buffer.from(position) }
  return { key: null, value: null, timestamp: '0', offset: '0', attributes: 0, headers }
}

it('covers changes with the positions that were reached', () => {
  const known = new KnownStates()
  expect(known.cover(batchOf(at(5n)))).toBe(false)
  known.add(batchOf(at(3n), at(5n)))
  expect(known.cover(batchOf(at(5n), at(3n)))).toBe(true)
  expect(known.cover(batchOf(at(5n), at(6n)))).toBe(false)
})

it('covers no batch with a change without a position', () => {
  const known = new KnownStates()
  known.add(batchOf(at(5n), null, 'no position'))
  expect(known.cover(batchOf(at(5n)))).toBe(true)
  expect(known.cover(batchOf(at(5n), null))).toBe(false)
  expect(known.cover(batchOf('no position'))).toBe(false)
})

it('does not infer a position from a later one, which may be forged or of another WAL', () => {
  const known = new KnownStates()
  known.add(batchOf('7/ffffffff/ffffffffffffffff'))
  expect(known.cover(batchOf(at(5n)))).toBe(false)
})

it('remembers the latest positions', () => {
  const known = new KnownStates()
  for (let lsn = 1n; lsn <= 9n; lsn++) known.add(batchOf(at(lsn)))
  expect(known.cover(batchOf(at(1n)))).toBe(false)
  expect(known.cover(batchOf(at(2n), at(9n)))).toBe(true)
})
