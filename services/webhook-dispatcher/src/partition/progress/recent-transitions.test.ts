import { describe, expect, it } from '@jest/globals'
import { RecentTransitions } from './recent-transitions.ts'

describe('RecentTransitions', () => {
  it('begins a step once, while it is open and after it is done', () => {
    const steps = new RecentTransitions(10)
    expect(steps.begin('d', 0)).toBe(true)
    expect(steps.begin('d', 0)).toBe(false)
    steps.done('d', 0)
    expect(steps.begin('d', 0)).toBe(false)
    expect(steps.begin('d', 1)).toBe(true)
    expect(steps.begin('other', 0)).toBe(true)
  })

  it('treats a lower step that comes later as a repetition', () => {
    const steps = new RecentTransitions(10)
    steps.begin('d', 3)
    expect(steps.begin('d', 2)).toBe(false)
    steps.done('d', 3)
    expect(steps.begin('d', 2)).toBe(false)
    expect(steps.isDone('d', 2)).toBe(true)
    expect(steps.isDone('d', 4)).toBe(false)
    // A late result of an older step reopens nothing.
    steps.begin('d', 4)
    steps.done('d', 3)
    expect(steps.begin('d', 4)).toBe(false)
  })

  it('forgets the oldest, never the newest half', () => {
    const steps = new RecentTransitions(10)
    for (let n = 0; n < 100; n++) {
      steps.begin(`d${n}`, 0)
      steps.done(`d${n}`, 0)
    }
    expect(steps.isDone('d0', 0)).toBe(false)
    for (let n = 95; n < 100; n++) expect(steps.isDone(`d${n}`, 0)).toBe(true)
  })
})
