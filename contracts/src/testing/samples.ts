import type { ChangeEvent, DeliveryAttempt, DeliveryJob, SubscriptionState } from '../events.ts'

/** When the sample delivery was made. Epoch milliseconds. */
export const sampleTime = Date.UTC(2026, 5, 15, 12)

export function aChange(fields: Partial<ChangeEvent> = {}): ChangeEvent {
  return {
    id: '0198c5e1-7a64-7cc3-98c4-dc0c0c07398f',
    timestamp: '2026-01-01T12:00:00.000Z',
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    recordId: 'r1',
    operation: 'UPDATE',
    record: '{"id":"r1","status":"paid","amount":"10.50"}',
    changedFields: ['status'],
    source: 'test',
    requestId: null,
    traceparent: null,
    previous: null,
    ...fields,
  }
}

export function aSubscription(fields: Partial<SubscriptionState> = {}): SubscriptionState {
  return {
    id: '5d6f2f9e-8d1c-4a44-9a39-0f0f6f2a7b11',
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    events: ['INSERT', 'UPDATE', 'DELETE'],
    url: 'https://receiver.example/hook',
    active: true,
    filter: null,
    select: null,
    secrets: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    policy: null,
    cancellations: [],
    versions: [],
    name: null,
    key: null,
    description: null,
    ...fields,
  }
}

/** A job as the matcher writes it: no attempt was made yet. */
export function aJob(fields: Partial<DeliveryJob> = {}): DeliveryJob {
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
    createdAt: sampleTime,
    attempt: 1,
    step: 0,
    dueAt: 0,
    arrival: -1,
    redeliveryOf: null,
    traceparent: null,
    notBefore: 0,
    waitMs: 0,
    recordId: 'r1',
    ...fields,
  }
}

/** The first attempt of the sample job, answered with 200. */
export function anAttempt(fields: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  const { deliveryId, eventId, subscriptionId, projectId, environment, url } = aJob()
  return {
    deliveryId,
    eventId,
    subscriptionId,
    projectId,
    environment,
    createdAt: sampleTime,
    step: 1,
    status: 'delivered',
    attempts: 1,
    attempted: true,
    at: sampleTime + 10,
    url,
    httpStatus: 200,
    latencyMs: 8,
    errorClass: null,
    errorMessage: null,
    answer: 'ok',
    nextAttemptAt: null,
    change: null,
    ...fields,
  }
}
