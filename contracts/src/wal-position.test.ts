import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { formatWalPosition, isBefore, walPositionHeader, walPositionOf } from './wal-position.ts'

const lsn = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const timeline = fc.integer({ min: 1, max: 2 ** 31 })
const at = (position: { timeline: number; lsn: bigint }, systemId = '7412') =>
  formatWalPosition(
    { systemId, timeline: position.timeline.toString(16).toUpperCase() },
    position.lsn,
  )

describe('isBefore', () => {
  it('orders by timeline, then by LSN', () => {
    const position = fc.record({ timeline, lsn })
    fc.assert(
      fc.property(position, position, (a, b) => {
        const expected = a.timeline === b.timeline ? a.lsn < b.lsn : a.timeline < b.timeline
        expect(isBefore(at(a), at(b))).toBe(expected)
      }),
    )
  })

  it('returns null for different clusters', () => {
    const position = { timeline: 1, lsn: 5n }
    expect(isBefore(at(position, '7412'), at(position, '741'))).toBeNull()
    expect(isBefore(at(position, '741'), at(position, '7412'))).toBeNull()
  })
})

describe('walPositionOf', () => {
  it('reads a formatted position', () => {
    const text = at({ timeline: 1, lsn: 5n })
    expect(walPositionOf({ [walPositionHeader]: text })).toBe(text)
    expect(walPositionOf({ [walPositionHeader]: Buffer.from(text) })).toBe(text)
  })

  it.each([undefined, {}, { [walPositionHeader]: 'x' }, { [walPositionHeader]: ['1', '2'] }])(
    'is null for %j',
    (headers) => {
      expect(walPositionOf(headers)).toBeNull()
    },
  )
})
