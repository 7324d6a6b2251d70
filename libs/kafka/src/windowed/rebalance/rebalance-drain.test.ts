import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { HandOver } from './rebalance-drain.ts'

let inFlight: number
let changes: boolean[]
let handOver: HandOver

beforeEach(() => {
  jest.useFakeTimers()
  inFlight = 1
  changes = []
  handOver = new HandOver({
    withinMs: 2_000,
    isDrained: () => inFlight === 0,
    onChange: (handingOver) => changes.push(handingOver),
  })
})
afterEach(() => {
  jest.useRealTimers()
})

describe('HandOver', () => {
  it('puts the join off until nothing is in flight', () => {
    expect(handOver.mayJoin()).toBe(false)
    inFlight = 0
    expect(handOver.mayJoin()).toBe(true)
    handOver.joined()
    expect(changes).toEqual([true, false])
  })

  it('waits no longer than it may', () => {
    handOver.begin()
    jest.advanceTimersByTime(1_999)
    expect(handOver.mayJoin()).toBe(false)
    jest.advanceTimersByTime(1)
    expect(handOver.mayJoin()).toBe(true)
  })

  it('ends when the group still takes heartbeats of the membership before it', () => {
    handOver.begin()
    handOver.confirmed()
    handOver.confirmed()
    expect(changes).toEqual([true, false])
  })

  it('tells of every join, also of the first', () => {
    handOver.joined()
    expect(changes).toEqual([false])
  })
})
