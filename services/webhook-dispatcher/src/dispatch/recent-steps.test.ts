import { describe, expect, it } from '@jest/globals'
import { RecentSteps } from './recent-steps.ts'

describe('RecentSteps', () => {
  it('begins a step once, while it is open and after it is done', () => {
    const steps = new RecentSteps(10)
    expect(steps.begin('d', 0)).toBe(true)
    expect(steps.begin('d', 0)).toBe(false)
    steps.done('d', 0)
    expect(steps.begin('d', 0)).toBe(false)
    expect(steps.begin('d', 1)).toBe(true)
    expect(steps.begin('other', 0)).toBe(true)
  })

  it('forgets the oldest, never the newest half', () => {
    const steps = new RecentSteps(10)
    for (let step = 0; step < 100; step++) {
      steps.begin('d', step)
      steps.done('d', step)
    }
    expect(steps.isDone('d', 0)).toBe(false)
    for (let step = 95; step < 100; step++) expect(steps.isDone('d', step)).toBe(true)
  })
})
