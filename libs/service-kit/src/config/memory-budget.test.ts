import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { MemoryBudget } from './memory-budget.ts'

describe('MemoryBudget', () => {
  it('lets one holder use the whole budget', () => {
    const budget = new MemoryBudget(100)
    const only = budget.open()
    only.add(99)
    expect(only.mustPause).toBe(false)
    only.add(1)
    expect(only.mustPause).toBe(true)
    only.release(40)
    expect([only.mustPause, only.mayResume]).toEqual([false, false])
    only.release(10)
    expect([only.bytes, only.mayResume]).toEqual([50, true])
  })

  it('pauses large holders, and lets small ones continue', () => {
    const budget = new MemoryBudget(100)
    const [large, small] = [budget.open(), budget.open()]
    small.add(5)
    large.add(120)
    expect([large.mustPause, small.mustPause]).toEqual([true, false])
    expect([large.mayResume, small.mayResume]).toEqual([false, true])
    large.close()
    expect([budget.used, small.mayResume]).toEqual([5, true])
  })

  it('ignores a closed share', () => {
    const budget = new MemoryBudget(100)
    const share = budget.open()
    share.add(30)
    share.close()
    share.release(30)
    share.add(7)
    share.close()
    expect(budget.used).toBe(0)
  })

  it('holds at most one and a half times its limit, plus bytes in flight', () => {
    const limit = 10_000
    const largest = 500
    const read = fc.record({ holder: fc.nat(9), bytes: fc.integer({ min: 1, max: largest }) })
    fc.assert(
      fc.property(fc.array(read, { maxLength: 300 }), (reads) => {
        const budget = new MemoryBudget(limit)
        const holders = Array.from({ length: 10 }, () => budget.open())
        for (const { holder, bytes } of reads) {
          const share = holders[holder]
          if (share !== undefined && !share.mustPause) share.add(bytes)
          expect(budget.used).toBeLessThanOrEqual(1.5 * limit + holders.length * largest)
        }
      }),
    )
  })
})
