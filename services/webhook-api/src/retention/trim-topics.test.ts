import { describe, expect, test } from '@jest/globals'
import { topicTable } from '@surehook/contracts/topics'
import fc from 'fast-check'
import { dayOf, oldestKeptDay } from '../history/rows/delivery-days.ts'
import { readersOf, trimmedBefore, trimOffset } from './trim-topics.ts'

describe('trimOffset', () => {
  const at = (young: number, ...committed: number[]) =>
    trimOffset({ partition: 0, low: 10, young, committed })

  test.each([
    ['all that is old and finished', at(50, 80, 70), 50],
    ['not what a reader has not finished: a paused job holds the commit', at(50, 80, 20), 20],
    ['nothing where a reader never was', at(50, 80, -1), null],
    ['nothing where all is young', at(10, 80), null],
    ['all that is old where nobody reads', at(50), 50],
    ['nothing that is gone already', at(5, 5), null],
  ])('is %s', (_what, offset, expected) => {
    expect(offset).toBe(expected)
  })
})

describe('trimmedBefore', () => {
  const hour = 3_600_000
  const day = 24 * hour

  test('keeps the body of every visible row', () => {
    const clocks = fc.record({
      historyDays: fc.integer({ min: 1, max: 60 }),
      now: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
      agoMs: fc.integer({ min: 0, max: 65 * day }),
      // How far the clock of the job's maker is ahead of the broker's.
      aheadMs: fc.integer({ min: -12 * hour, max: 12 * hour }),
      // How much later a day is dropped because it was in use.
      lateMs: fc.integer({ min: 0, max: 11 * hour }),
    })
    fc.assert(
      fc.property(clocks, ({ historyDays, now, agoMs, aheadMs, lateMs }) => {
        const appendedAt = now - agoMs
        const isShown = dayOf(appendedAt + aheadMs) >= oldestKeptDay(historyDays, now - lateMs)
        fc.pre(isShown)
        expect(appendedAt).toBeGreaterThanOrEqual(trimmedBefore(historyDays, now))
      }),
    )
  })
})

describe('readersOf', () => {
  test('knows every topic that never expires by age, and no other', () => {
    const trimmed = topicTable(['1s', '5m'])
      .filter(({ name }) => readersOf(name) !== null)
      .map(({ name }) => name)
    const kept = topicTable(['1s', '5m'])
      .filter(({ config }) => config['retention.ms'] === '-1')
      .map(({ name }) => name)
    expect(trimmed).toEqual(kept)
    expect(readersOf('webhook.deliveries.retry.7m')).toEqual(['webhook-dispatcher'])
    expect(readersOf('webhook.deliveries.invalid')).toBeNull()
  })
})
