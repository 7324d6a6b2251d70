import { describe, expect, it } from '@jest/globals'
import { decodeRanges, OffsetTracker } from '@surehook/kafka/offsets/offset-tracker'
import * as fc from 'fast-check'
import { isFinished } from './ledger-reading.ts'

describe('isFinished', () => {
  it('agrees with the consumer that committed', () => {
    const finished = fc.uniqueArray(fc.integer({ min: 10, max: 80 }))
    fc.assert(
      fc.property(finished, (offsets) => {
        const tracker = new OffsetTracker(10, null)
        for (let offset = 10; offset <= 80; offset++) tracker.take(offset)
        for (const offset of offsets) tracker.finish(offset)
        const { offset: committed, metadata } = tracker.position()
        const progress = { committed, finished: decodeRanges(committed, metadata) }
        for (let offset = 0; offset <= 90; offset++) {
          expect(isFinished(progress, offset)).toBe(offset < 10 || offsets.includes(offset))
        }
      }),
    )
  })

  it('treats nothing as finished for a group that has never committed', () => {
    expect(isFinished(undefined, 0)).toBe(false)
    expect(isFinished({ committed: -1, finished: [] }, 0)).toBe(false)
  })
})
