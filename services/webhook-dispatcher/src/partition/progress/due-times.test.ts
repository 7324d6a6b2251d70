import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { retryTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../../delivery/delivery.ts'
import { DueTimes } from './due-times.ts'

const hourMs = 3_600_000
let due: boolean
let dueTimes: DueTimes

beforeEach(() => {
  jest.useFakeTimers()
  due = false
  dueTimes = new DueTimes()
})
afterEach(() => void jest.useRealTimers())

function wait(dueInMs: number, appendedAgoMs = 0): void {
  const timestamp = String(Date.now() - appendedAgoMs)
  const message = { topic: retryTopic('5s'), timestamp }
  const delivery = { job: { dueAt: Date.now() + dueInMs }, message }
  dueTimes.await(delivery as Delivery, () => (due = true))
}

it('lets a job wait until it is due', () => {
  wait(5_300)
  jest.advanceTimersByTime(5_299)
  expect(due).toBe(false)
  jest.advanceTimersByTime(1)
  expect(due).toBe(true)
})

it('lets no job wait longer than its delay, whatever clock set its due time', () => {
  wait(26 * hourMs)
  jest.advanceTimersByTime(5_500)
  expect(due).toBe(true)
})

it('counts the time that a job with such a due time has been on its topic', () => {
  wait(26 * hourMs, 4_000)
  jest.advanceTimersByTime(1_499)
  expect(due).toBe(false)
  jest.advanceTimersByTime(1)
  expect(due).toBe(true)
})

it.each([-26 * hourMs, 26 * hourMs])(
  'keeps the delay if the broker has another clock: it appended the record %i ms ago',
  (appendedAgoMs) => {
    wait(5_300, appendedAgoMs)
    jest.advanceTimersByTime(5_299)
    expect(due).toBe(false)
    jest.advanceTimersByTime(1)
    expect(due).toBe(true)
  },
)

it('keeps no job, and no timer, of a partition that is gone', () => {
  wait(5_300)
  dueTimes.dispose()
  expect(jest.getTimerCount()).toBe(0)
  jest.advanceTimersByTime(5_500)
  expect(due).toBe(false)
})
