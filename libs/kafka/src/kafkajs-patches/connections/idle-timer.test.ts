import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { stopIdleTimers } from './idle-timer.ts'

type Queue = {
  push(request: object): void
  maybeThrottle(ms: number): void
  fulfillRequest(answer: object): void
}
type QueueOptions = { maxInFlightRequests: number; [name: string]: unknown }

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
  options: QueueOptions,
) => Queue
const logger = { debug: () => {}, warn: () => {}, info: () => {}, error: () => {} }

stopIdleTimers()

let queue: Queue
let sent: number[]

beforeEach(() => {
  jest.useFakeTimers()
  sent = []
  queue = new RequestQueue({
    maxInFlightRequests: 1,
    requestTimeout: 1_000,
    enforceRequestTimeout: false,
    clientId: 'test',
    broker: 'b:9092',
    logger,
    isConnected: () => true,
  })
})
afterEach(() => {
  jest.useRealTimers()
})

function request(correlationId: number): void {
  const entry = { correlationId, resolve: () => {}, reject: () => {} }
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
