import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { sleepWhilePaused } from './paused-sleep.ts'

type TopicPartitions = { topic: string; partitions: number[] }[]
type Group = {
  maxWaitTime: number
  fetch(nodeId: string): Promise<object[]>
  pause(at: TopicPartitions): void
  resume(at: TopicPartitions): void
  seek(at: { topic: string; partition: number; offset: string }): void
}

const internal = createRequire(import.meta.url)
const ConsumerGroup = internal('kafkajs/src/consumer/consumerGroup') as { prototype: Group }
const SubscriptionState = internal('kafkajs/src/consumer/subscriptionState') as new () => {
  assign(to: TopicPartitions): void
}
const SeekOffsets = internal('kafkajs/src/consumer/seekOffsets') as new () => object

const both = [{ topic: 't', partitions: [0, 1] }]
const one = [{ topic: 't', partitions: [1] }]

/** Maximum wait in milliseconds of each fetch. */
let fetches: number[]

beforeEach(() => {
  jest.useFakeTimers()
  fetches = []
  restoreMethods()
  jest.spyOn(ConsumerGroup.prototype, 'fetch').mockImplementation(async function (this: Group) {
    fetches.push(this.maxWaitTime)
    return this.maxWaitTime === 0 ? [] : [{}]
  })
  sleepWhilePaused()
})
afterEach(() => {
  jest.useRealTimers()
  restoreMethods()
  jest.restoreAllMocks()
})

function openGroup(): Group {
  const subscriptionState = new SubscriptionState()
  subscriptionState.assign(both)
  const logger = { info: () => undefined }
  const fields = { subscriptionState, seekOffset: new SeekOffsets(), logger, maxWaitTime: 50 }
  return Object.assign(Object.create(ConsumerGroup.prototype), fields) as Group
}

/** True if the fetch has ended. */
async function hasEnded(fetch: Promise<object[]>): Promise<boolean> {
  let ended = false
  void fetch.then(() => {
    ended = true
  })
  await jest.advanceTimersByTimeAsync(0)
  return ended
}

it('fetches while a partition is not paused', async () => {
  const group = openGroup()
  group.pause(one)
  expect(await group.fetch('1')).toHaveLength(1)
})

it('sleeps while all are paused, with time for heartbeats', async () => {
  const group = openGroup()
  group.pause(both)
  const asleep = [group.fetch('1'), group.fetch('2')]
  await jest.advanceTimersByTimeAsync(249)
  expect(await hasEnded(Promise.race(asleep))).toBe(false)
  await jest.advanceTimersByTimeAsync(1)
  expect(await Promise.all(asleep)).toEqual([[], []])
  expect(fetches).toEqual([0, 0])
  group.resume(both)
  await group.fetch('1')
  expect(fetches.at(-1)).toBe(50)
})

it('continues as soon as one is resumed or sought', async () => {
  const group = openGroup()
  group.pause(both)
  const asleep = [group.fetch('1'), group.fetch('2')]
  await jest.advanceTimersByTimeAsync(0)
  group.resume(one)
  expect(await Promise.all(asleep)).toEqual([[], []])
  expect(await group.fetch('1')).toHaveLength(1)
  group.pause(both)
  const again = group.fetch('1')
  await jest.advanceTimersByTimeAsync(0)
  group.seek({ topic: 't', partition: 0, offset: '7' })
  expect(await again).toEqual([])
})
