import { describe, expect, it } from '@jest/globals'
import { formatWalPosition } from '@surehook/contracts/wal-position'
import { LatestPositions } from './latest-positions.ts'

const at = (lsn: number, systemId = '7412', timeline = '1') =>
  formatWalPosition({ systemId, timeline }, BigInt(lsn))

describe('LatestPositions', () => {
  it('recognises states committed before the newest record of the same key', () => {
    const positions = new LatestPositions()
    const sent: [string, number][] = [
      ['a', 10],
      ['b', 15],
      ['a', 20],
      ['a', 10],
      ['b', 15],
      ['a', 20],
      ['a', 30],
    ]
    const outdated = sent.map(([key, lsn]) => positions.isOutdated(key, at(lsn)))
    expect(outdated).toEqual([false, false, false, true, false, false, false])
  })

  it('accepts records without a comparable position', () => {
    const positions = new LatestPositions()
    expect(positions.isOutdated('a', at(20))).toBe(false)
    expect(positions.isOutdated('a', at(10, '99'))).toBe(false)
    expect(positions.isOutdated('a', null)).toBe(false)
    expect(positions.isOutdated('a', at(10))).toBe(false)
  })

  it('treats a restored timeline as newer than its predecessor', () => {
    const positions = new LatestPositions()
    expect(positions.isOutdated('a', at(20))).toBe(false)
    expect(positions.isOutdated('a', at(10, '7412', '2'))).toBe(false)
    expect(positions.isOutdated('a', at(30))).toBe(true)
  })

  it('drops the keys that were written first', () => {
    const positions = new LatestPositions(2)
    for (const key of ['a', 'b', 'a', 'c', 'd', 'e']) positions.isOutdated(key, at(20))
    const outdated = ['d', 'e', 'b'].map((key) => positions.isOutdated(key, at(10)))
    expect(outdated).toEqual([true, true, false])
  })
})
