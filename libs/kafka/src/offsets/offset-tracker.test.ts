import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { decodeNote, decodeRanges, OffsetTracker } from './offset-tracker.ts'

describe('OffsetTracker', () => {
  it('commits the contiguous prefix, and the finished offsets above it in the metadata', () => {
    const tracker = new OffsetTracker(10, '')
    for (const offset of [10, 11, 12, 13]) expect(tracker.take(offset)).toBe('new')
    tracker.finish(12)
    expect(tracker.position().offset).toBe(10)
    tracker.finish(10)
    expect(tracker.position().offset).toBe(11)

    const next = new OffsetTracker(11, tracker.position().metadata)
    expect([11, 12, 13].map((offset) => next.take(offset))).toEqual(['new', 'finished', 'new'])
    next.finish(11)
    expect(next.low).toBe(13)
  })

  it('steps over gaps of the log', () => {
    const tracker = new OffsetTracker(0, null)
    tracker.take(5)
    expect(tracker.low).toBe(5)
    tracker.take(9)
    tracker.finish(5)
    expect(tracker.low).toBe(9)
    tracker.finish(9)
    expect(tracker.position()).toEqual({ offset: 10, metadata: '', complete: true })
  })

  it('keeps offsets that an earlier owner finished after a gap of the log', () => {
    const earlier = new OffsetTracker(0, '')
    for (const offset of [0, 1, 5, 6]) earlier.take(offset)
    for (const offset of [1, 5]) earlier.finish(offset)
    const { offset: committed, metadata } = earlier.position()
    const tracker = new OffsetTracker(committed, metadata)
    tracker.take(0)
    tracker.finish(0)
    // Offset 1 no longer exists, and 2 to 4 never did.
    expect(tracker.take(5)).toBe('finished')
    expect(tracker.low).toBe(6)
  })

  it('distinguishes a second reading of an open offset from a finished one', () => {
    const tracker = new OffsetTracker(0, '')
    tracker.take(0)
    tracker.take(1)
    tracker.finish(1)
    expect([tracker.take(0), tracker.take(1)]).toEqual(['open', 'finished'])
    expect(tracker.open).toBe(1)
  })

  it('ignores metadata that is not its own', () => {
    expect(new OffsetTracker(3, 'written by another client').take(3)).toBe('new')
  })

  it('reports when not everything fits, and never claims an open offset', () => {
    const tracker = new OffsetTracker(0, '')
    for (let offset = 0; offset < 20_000; offset++) tracker.take(offset)
    for (let offset = 1; offset < 20_000; offset += 2) tracker.finish(offset)
    const position = tracker.position()
    expect(position.complete).toBe(false)
    expect(position.metadata.length).toBeLessThanOrEqual(4096)
    const next = new OffsetTracker(position.offset, position.metadata)
    for (let offset = 0; offset < 20_000; offset += 2) expect(next.take(offset)).toBe('new')
  })

  it('is sparse when few open offsets hold back many finished ones', () => {
    const tracker = new OffsetTracker(0, '')
    for (let offset = 0; offset <= 20_001; offset++) tracker.take(offset)
    expect(tracker.sparse).toBe(false)
    for (let offset = 1; offset <= 20_000; offset++) tracker.finish(offset)
    expect(tracker.sparse).toBe(false)
    tracker.finish(20_001)
    expect(tracker.sparse).toBe(true)
    tracker.finish(0)
    expect(tracker.sparse).toBe(false)
  })

  it('is not sparse while many are open', () => {
    const tracker = new OffsetTracker(0, '')
    for (let offset = 0; offset < 50_000; offset++) tracker.take(offset)
    for (let offset = 20_000; offset < 50_000; offset++) tracker.finish(offset)
    expect(tracker.sparse).toBe(false)
  })

  it('repeats exactly the open offsets after any crash', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.array(fc.record({ gap: fc.nat(3), finished: fc.boolean() }), { maxLength: 200 }),
        fc.nat(200),
        (start, messages, readBefore) => {
          let at = start
          const log = messages.map(({ gap, finished }) => {
            at += 1 + gap
            return { offset: at, finished }
          })
          const first = new OffsetTracker(start, '')
          for (const { offset } of log) first.take(offset)
          for (const { offset, finished } of log.toReversed()) if (finished) first.finish(offset)
          const crash = first.position()

          // A second owner reads only a part, commits, and crashes too.
          const second = new OffsetTracker(crash.offset, crash.metadata)
          for (const { offset } of log.slice(0, readBefore)) second.take(offset)
          const again = second.position()

          const third = new OffsetTracker(again.offset, again.metadata)
          const repeated = log.filter(({ offset }) => third.take(offset) === 'new')
          expect(repeated.map(({ offset }) => offset)).toEqual(
            log.filter(({ finished }) => !finished).map(({ offset }) => offset),
          )
        },
      ),
    )
  })
})

describe('a skipped range', () => {
  it('is open until it is read, except for offsets that an earlier owner finished', () => {
    const tracker = new OffsetTracker(10, 'w1.AgE')
    tracker.skipTo(20)
    expect([tracker.open, tracker.low, tracker.take(20)]).toEqual([8, 10, 'new'])
    tracker.finish(20)
    expect(tracker.position().offset).toBe(10)
    expect([10, 11, 12, 13, 14].map((offset) => tracker.take(offset))).toEqual([
      'new',
      'new',
      'finished',
      'finished',
      'new',
    ])
    // The offsets in between are gaps of the log.
    expect(tracker.take(17)).toBe('new')
    tracker.endSkipped()
    for (const offset of [10, 11, 14, 17]) tracker.finish(offset)
    expect([tracker.low, tracker.open, tracker.skipped]).toEqual([21, 0, null])
  })

  it('is finished where the log has gaps, at random', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(60), { maxLength: 30 }),
        fc.uniqueArray(fc.nat(60), { maxLength: 30 }),
        (there, finishedBefore) => {
          const earlier = new OffsetTracker(0, '')
          for (let offset = 0; offset <= 61; offset++) earlier.take(offset)
          for (const offset of finishedBefore) earlier.finish(offset)
          const { offset: committed, metadata } = earlier.position()
          const tracker = new OffsetTracker(committed, metadata)
          tracker.skipTo(61)
          tracker.take(61)
          const open = there.filter((o) => o >= committed && !finishedBefore.includes(o))
          const inOrder = open.toSorted((a, b) => a - b)
          for (const offset of inOrder) expect(tracker.take(offset)).toBe('new')
          tracker.endSkipped()
          expect(tracker.open).toBe(open.length + 1)
          for (const offset of [...open, 61]) tracker.finish(offset)
          expect([tracker.low, tracker.open]).toEqual([62, 0])
        },
      ),
    )
  })
})

describe('a note', () => {
  it('is stored with the ranges, which an earlier version still reads', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(300), { maxLength: 100 }),
        fc.uint8Array({ maxLength: 900 }),
        (finished, note) => {
          const tracker = new OffsetTracker(0, '')
          for (let offset = 0; offset <= 300; offset++) tracker.take(offset)
          for (const offset of finished) tracker.finish(offset)
          const { offset, metadata } = tracker.position(note)
          expect(metadata.length).toBeLessThanOrEqual(4_000)
          expect(decodeNote(metadata)).toEqual(Buffer.from(note))
          const plain = tracker.position().metadata
          expect(decodeRanges(offset, metadata)).toEqual(decodeRanges(offset, plain))
          // The previous version decodes them like this.
          expect(Buffer.from(metadata.slice(3), 'base64url')).toEqual(
            Buffer.from(plain.slice(3), 'base64url'),
          )
        },
      ),
    )
  })

  it('is absent in the metadata of an earlier version', () => {
    expect([decodeNote(null), decodeNote(''), decodeNote('w1.AgE')]).toEqual([null, null, null])
  })
})

it('names the open offsets between most of the ranges, and few of them', () => {
  const tracker = new OffsetTracker(0, '')
  for (let offset = 0; offset < 1_000; offset++) tracker.take(offset)
  for (const offset of [500, 502, 504, 900]) tracker.finish(offset)
  expect(tracker.gapsToClose()).toEqual([
    [501, 501],
    [503, 503],
  ])
})
