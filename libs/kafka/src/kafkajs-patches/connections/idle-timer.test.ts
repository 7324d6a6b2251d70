import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { stopIdleTimers } from './idle-timer.ts'

type Queue = {
  scheduleRequestTimeoutCheck(): void
  destroy(): void
  push(request: object): void
  maybeThrottle(ms: number): void
  fulfillRequest(answer: object): void
}
type QueueOptions = { maxInFlightRequests: number; [name: string]: unknown }

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
  options: QueueOptions,
) => Queue
const logger = { debug: () => {}, warn: () => {}, info: () => {}, error: () => {} }

restoreMethods()
stopIdleTimers()

let queue: Queue
let sent: number[]
let failed: string[]
let isConnected: boolean

beforeEach(() => {
  jest.useFakeTimers()
  sent = []
  failed = []
  isConnected = true
  queue = openQueue()
})
afterEach(() => {
  jest.useRealTimers()
})

const openQueue = (more = {}): Queue =>
  new RequestQueue({
    maxInFlightRequests: 1,
    requestTimeout: 1_000,
    enforceRequestTimeout: true,
    clientId: 'test',
    broker: 'b:9092',
    logger,
    isConnected: () => isConnected,
    ...more,
  })

function request(correlationId: number): void {
  const reject = (err: Error) => void failed.push(`${correlationId}: ${err.name}`)
  const entry = { correlationId, resolve: () => {}, reject }
  const sendRequest = () => void sent.push(correlationId)
  queue.push({ entry, expectResponse: true, requestTimeout: 1_000, sendRequest })
}
const answer = (correlationId: number) =>
  queue.fulfillRequest({ correlationId, payload: Buffer.alloc(0), size: 0 })

it('has no timer while no request waits', () => {
  request(1)
  answer(1)
  expect(sent).toEqual([1])
  expect(jest.getTimerCount()).toBe(0)
})

it('sends waiting requests as soon as there is room', () => {
  request(1)
  request(2)
  expect(sent).toEqual([1])
  answer(1)
  expect(sent).toEqual([1, 2])
})

it('sends throttled requests when the throttle ends', () => {
  queue.maybeThrottle(50)
  request(1)
  expect(sent).toEqual([])
  jest.advanceTimersByTime(70)
  expect(sent).toEqual([1])
})

it('reports requests without an answer', () => {
  queue.scheduleRequestTimeoutCheck()
  request(1)
  jest.advanceTimersByTime(1_000)
  expect(failed).toEqual([])
  jest.advanceTimersByTime(1_000)
  expect(failed).toEqual(['1: KafkaJSRequestTimeoutError'])
  request(2)
  jest.advanceTimersByTime(2_000)
  expect(failed).toHaveLength(2)
  queue.destroy()
})

it('looks for timeouts of all connections with one timer', () => {
  const other = openQueue()
  queue.scheduleRequestTimeoutCheck()
  other.scheduleRequestTimeoutCheck()
  expect(jest.getTimerCount()).toBe(1)
  queue.destroy()
  expect(jest.getTimerCount()).toBe(1)
  other.destroy()
  expect(jest.getTimerCount()).toBe(0)
})

it('looks for no timeouts of a connection that has ended, or where they are not enforced', () => {
  openQueue({ enforceRequestTimeout: false }).scheduleRequestTimeoutCheck()
  expect(jest.getTimerCount()).toBe(0)
  queue.scheduleRequestTimeoutCheck()
  isConnected = false
  jest.advanceTimersByTime(1_000)
  expect(jest.getTimerCount()).toBe(0)
})
