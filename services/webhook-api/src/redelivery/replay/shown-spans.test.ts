import { beforeEach, describe, expect, it } from '@jest/globals'
import type { LogSpan } from '@surehook/kafka/readers/log-reader'
import { ShownSpans } from './shown-spans.ts'

const id = 'replay'
const [zero, one]: [LogSpan, LogSpan] = [
  { partition: 0, from: 5, to: 10 },
  { partition: 1, from: 5, to: 10 },
]

let now = 0
let shown: ShownSpans
const inTurn = (spans: LogSpan[], ends: Record<number, number>) =>
  shown.inTurn(id, spans, new Map(Object.entries(ends).map(([of, end]) => [Number(of), end])))

beforeEach(() => {
  now = 0
  shown = new ShownSpans(() => now)
})

describe('the spans of a replay', () => {
  it('go on with a partition that has a leader and more to read', () => {
    expect(inTurn([zero, one], { 0: 10, 1: 10 })).toEqual([zero, one])
    expect(inTurn([zero, one], { 1: 10 })).toEqual([one, zero])
    expect(inTurn([zero, one], { 0: 5, 1: 6 })).toEqual([one, zero])
  })

  it('keep their ends when a new leader shows less of the log for a while', () => {
    expect(inTurn([zero], { 0: 7 })).toEqual([zero])
    expect(inTurn([{ ...zero, from: 7 }], { 0: 7 })).toBeNull()
    now = 30_000
    expect(inTurn([{ ...zero, from: 7 }], { 0: 10 })).toEqual([{ ...zero, from: 7 }])
  })

  it('are over once the log has ended before them for a minute', () => {
    expect(inTurn([zero, one], { 0: 5, 1: 3 })).toBeNull()
    now = 59_000
    expect(inTurn([zero, one], { 0: 5, 1: 3 })).toBeNull()
    now = 60_000
    expect(inTurn([zero, one], { 0: 5, 1: 3 })).toEqual([])
  })

  it('are not over if another replica read on meanwhile', () => {
    expect(inTurn([zero], { 0: 5 })).toBeNull()
    now = 3_600_000
    expect(inTurn([{ ...zero, from: 8 }], { 0: 8 })).toBeNull()
  })

  it('are not over while a partition has no leader', () => {
    expect(inTurn([zero, one], { 0: 5 })).toBeNull()
    now = 60_000
    expect(inTurn([zero, one], { 0: 5 })).toBeNull()
    expect(inTurn([zero, one], { 0: 5, 1: 5 })).toBeNull()
  })

  it('are over at once if there are none', () => {
    expect(inTurn([], {})).toEqual([])
  })
})
