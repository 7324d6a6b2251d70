import { describe, expect, test } from '@jest/globals'
import { topicTable } from '@surehook/contracts/topics'
import { readersOf, trimOffset } from './trim-topics.ts'

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
