import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../../delivery/delivery.ts'
import { DueTimes } from './due-times.ts'
import { Pressure } from './pressure.ts'

const assignmentOf = (topic: string) =>
  new AssignedPartition({ topic, partition: 0, committed: 0, metadata: null, end: 0 })

let assignment: AssignedPartition
let dueTimes: DueTimes
let pressure: Pressure

beforeEach(() => {
  jest.useFakeTimers()
  assignment = assignmentOf(deliveriesTopic)
  dueTimes = new DueTimes()
  const assignments = new Map(
    [assignment, assignmentOf(pausedTopic)].map((one) => [one.topic, one]),
  )
  pressure = new Pressure({ assignments, dueTimes, window: { messages: 10, bytes: 1_000 } })
})
afterEach(() => {
  jest.useRealTimers()
})

function hold(count: number, bytes = 1): void {
  for (let n = 0; n < count; n++) assignment.take(assignment.next, bytes)
}

function lasts(ms: number): void {
  pressure.sample()
  jest.advanceTimersByTime(ms)
}

it('is on when more than half of the messages have waited for half a second', () => {
  hold(5)
  lasts(1_000)
  expect(pressure.isOn).toBe(false)
  hold(1)
  lasts(499)
  expect(pressure.isOn).toBe(false)
  lasts(1)
  expect(pressure.isOn).toBe(true)
})

it('is on when more than half of the bytes have', () => {
  hold(1, 501)
  lasts(500)
  expect(pressure.isOn).toBe(true)
})

it('starts again after it ended', () => {
  hold(6)
  lasts(499)
  assignment.finish(0)
  lasts(0)
  hold(1)
  lasts(499)
  expect(pressure.isOn).toBe(false)
})

it('does not come from jobs that are not due', () => {
  const job = { dueAt: Date.now() + 60_000 } as DeliveryJob
  for (let n = 0; n < 6; n++) {
    hold(1)
    dueTimes.await({ job, message: { topic: deliveriesTopic } } as Delivery, () => {})
  }
  lasts(500)
  expect(pressure.isOn).toBe(false)
})
