import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { decodeNote } from '@surehook/kafka/offsets/offset-tracker'
import { decodeRerouted } from '@surehook/kafka/offsets/rerouted-note'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { RerouteProgress } from './reroute-progress.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function setUp(metadata: string | null = null) {
  const shared = { messages: 100, bytes: 1_000 }
  const at = { topic: 'webhook.deliveries', partition: 0, committed: 0, metadata, end: 0, shared }
  const deliveries = new AssignedPartition(at)
  const control = { partitions: 2, commitSoon: () => void commits++ }
  let [commits, offset] = [0, 0]
  const toReroute = { least: Number.POSITIVE_INFINITY }
  const progress = new RerouteProgress({
    ...{ deliveries, control },
    toReroute: { leastArrival: () => toReroute.least },
  })
  const read = (count: number) => {
    for (let nth = 0; nth < count; nth++) deliveries.take(offset++, 1, () => 'tenant')
  }
  const later = (ms: number) => {
    jest.advanceTimersByTime(ms)
    progress.sample()
  }
  const sample = () => {
    later(1_000)
    return decodeRerouted(decodeNote(deliveries.position().metadata))
  }
  return { deliveries, control, toReroute, read, later, sample, commits: () => commits }
}

it('advances although new deliveries arrive that move', () => {
  const { control, toReroute, read, sample } = setUp()
  read(10)
  expect(sample()).toEqual({ partitions: 2, below: 10 })
  control.partitions = 4
  toReroute.least = Number.NEGATIVE_INFINITY
  expect(sample()).toEqual({ partitions: 2, below: 10 })
  toReroute.least = 7
  expect(sample()).toEqual({ partitions: 4, below: 7 })
  read(10)
  toReroute.least = 18
  expect(sample()).toEqual({ partitions: 4, below: 18 })
})

it('does not go back for a retry that is rerouted when it is due', () => {
  const { toReroute, read, sample } = setUp()
  read(10)
  expect(sample()?.below).toBe(10)
  toReroute.least = 3
  read(5)
  expect(sample()?.below).toBe(10)
  toReroute.least = Number.POSITIVE_INFINITY
  expect(sample()?.below).toBe(15)
})

it('does not pass deliveries that wait in the log for the share of their tenant', () => {
  const { read, sample } = setUp()
  read(200)
  const below = sample()?.below ?? 0
  expect(below).toBeGreaterThan(0)
  expect(below).toBeLessThan(200)
})

it('commits every progress after partitions were added, and seldom otherwise', () => {
  const { control, deliveries, read, later, commits } = setUp()
  later(1_000)
  expect(commits()).toBe(1)
  deliveries.position()
  read(1)
  later(1_000)
  later(1_000)
  expect(commits()).toBe(1)
  later(10_000)
  expect(commits()).toBe(2)
  control.partitions = 4
  for (let nth = 0; nth < 3; nth++) {
    read(1)
    later(200)
  }
  expect(commits()).toBe(5)
})
