import { describe, expect, it } from '@jest/globals'
import { currentKey, isDueForRotation, type KeyTimes, livingKeys } from './key-schedule.ts'

const key = (kid: string, activeFrom: number, change: Partial<KeyTimes> = {}): KeyTimes => ({
  kid,
  use: 'sig',
  createdAt: activeFrom,
  activeFrom,
  longestTtl: 900,
  ...change,
})
const minute = 60_000
const first = key('first', 0)
const second = key('second', 100 * minute)
const third = key('third', 200 * minute)
const kidsAt = (nowMs: number) => livingKeys([third, first, second], nowMs).map(({ kid }) => kid)

describe('currentKey', () => {
  it('is the latest active one', () => {
    const at = (nowMs: number) => currentKey([third, first, second], 'sig', nowMs)?.kid
    expect(at(99 * minute)).toBe('first')
    expect(at(100 * minute)).toBe('second')
    expect(at(200 * minute)).toBe('third')
    expect(currentKey([first], 'enc', minute)).toBeUndefined()
  })

  it('is the first to become active while none is, because clocks differ', () => {
    expect(currentKey([third, second], 'sig', second.activeFrom - 5)?.kid).toBe('second')
  })
})

describe('livingKeys', () => {
  it('includes future keys, and keeps each until its last token has expired', () => {
    expect(kidsAt(50 * minute).toSorted()).toEqual(['first', 'second', 'third'])
    expect(kidsAt(115 * minute).toSorted()).toEqual(['first', 'second', 'third'])
    expect(kidsAt(116 * minute).toSorted()).toEqual(['second', 'third'])
    expect(kidsAt(216 * minute)).toEqual(['third'])
  })

  it('keeps keys of one use independently of the other', () => {
    const enc = key('enc', 0, { use: 'enc' })
    expect(livingKeys([first, second, enc], 500 * minute).map(({ kid }) => kid)).toEqual([
      'second',
      'enc',
    ])
  })
})

describe('isDueForRotation', () => {
  it('looks at the newest key of the use', () => {
    const at = (nowMs: number) => isDueForRotation([first, second], 'sig', { nowMs, maxAgeMs: 10 })
    expect(at(second.createdAt + 9)).toBe(false)
    expect(at(second.createdAt + 10)).toBe(true)
    expect(isDueForRotation([first], 'enc', { nowMs: 10 ** 12, maxAgeMs: 1 })).toBe(false)
  })
})
