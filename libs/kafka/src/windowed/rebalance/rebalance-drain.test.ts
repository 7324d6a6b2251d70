import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { RebalanceDrain } from './rebalance-drain.ts'

let inFlight: number
let changes: boolean[]
let drain: RebalanceDrain

beforeEach(() => {
  jest.useFakeTimers()
  inFlight = 1
  changes = []
  drain = new RebalanceDrain({
    withinMs: 2_000,
    isDrained: () => inFlight === 0,
    onChange: (isDraining) => changes.push(isDraining),
  })
})
afterEach(() => {
  jest.useRealTimers()
})

describe('RebalanceDrain', () => {
  it('delays the join until nothing is in flight', () => {
    expect(drain.mayJoin()).toBe(false)
    inFlight = 0
    expect(drain.mayJoin()).toBe(true)
    drain.joined()
    expect(changes).toEqual([true, false])
  })

  it('waits no longer than its limit', () => {
    drain.begin()
    jest.advanceTimersByTime(1_999)
    expect(drain.mayJoin()).toBe(false)
    jest.advanceTimersByTime(1)
    expect(drain.mayJoin()).toBe(true)
  })

  it('ends when the group still accepts heartbeats of the previous membership', () => {
    drain.begin()
    drain.confirmed()
    drain.confirmed()
    expect(changes).toEqual([true, false])
  })

  it('reports every join, including the first', () => {
    drain.joined()
    expect(changes).toEqual([false])
  })
})
