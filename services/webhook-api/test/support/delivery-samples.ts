import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'

export const someTime = Date.UTC(2026, 5, 15, 12)

export function aJob(change: Partial<DeliveryJob> = {}): DeliveryJob {
  return {
    deliveryId: '6f9f1a52-61c9-5c38-9d0b-7f8f3c1e2a10',
    webhookId: '6f9f1a52-61c9-5c38-9d0b-7f8f3c1e2a10',
    eventId: '0192f0c1-2f5e-7cc0-8a7e-3b9c1d2e4f50',
    subscriptionId: '5d6f2f9e-8d1c-4a44-9a39-0f0f6f2a7b11',
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    operation: 'INSERT',
    url: 'https://receiver.example/hook',
    body: Buffer.from('{"id":"1"}'),
    createdAt: someTime,
    attempt: 1,
    step: 0,
    dueAt: 0,
    arrival: -1,
    redeliveryOf: null,
    traceparent: null,
    notBefore: 0,
    waitMs: 0,
    recordId: 'r1',
    ...change,
  }
}

/** A first attempt that was answered with 200. */
export function aTransition(change: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  const { deliveryId, eventId, subscriptionId, projectId, environment, url } = aJob()
  return {
    deliveryId,
    eventId,
    subscriptionId,
    projectId,
    environment,
    createdAt: someTime,
    step: 1,
    status: 'delivered',
    attempts: 1,
    attempted: true,
    at: someTime + 10,
    url,
    httpStatus: 200,
    latencyMs: 8,
    errorClass: null,
    errorMessage: null,
    answer: 'ok',
    nextAttemptAt: null,
    change: null,
    ...change,
  }
}
