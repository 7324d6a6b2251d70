import type { ChangeEvent, SubscriptionState } from '@surehook/contracts/events'

export function aChange(change: Partial<ChangeEvent> = {}): ChangeEvent {
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
    ...change,
  }
}

export function aSubscription(state: Partial<SubscriptionState> = {}): SubscriptionState {
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
    name: null,
    ...state,
  }
}
