import { delivery, payload } from './deliveries.ts'
import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const webhookName = 'Billing of ACME'
const parameters = { id: ids.subscription }
const change = { table: 'orders', event: 'UPDATE', recordId: ids.record }
const counts = { delivered: 238, retrying: 3, deadLetter: 1, cancelled: 0 }
const stats = {
  window: '1h',
  from: '2026-01-01T11:00:00.000Z',
  until: createdAt,
  counts,
  attempts: 242,
  successRate: 0.9835,
  bucketSeconds: 300,
  series: [{ at: '2026-01-01T11:00:00.000Z', ...counts }],
}
const endpoint = {
  id: ids.endpoint,
  url: 'https://receiver.example/hooks',
  webhooks: [ids.subscription],
  webhookNames: { [ids.subscription]: webhookName },
  circuit: 'open',
  refusedWebhooks: [],
  openUntil: '2026-01-01T12:02:00.000Z',
  consecutiveFailures: 0,
  inFlight: 0,
  paused: 12,
}

export const questionExamples: OperationExamples = {
  searchDeliveries: {
    parameters: { recordId: ids.record, limit: 1 },
    reply: {
      deliveries: [{ ...delivery, webhookId: ids.subscription, webhookName, ...change }],
      nextCursor: null,
    },
  },
  listEvents: {
    parameters: { table: 'orders', limit: 1 },
    reply: {
      events: [
        {
          ...{ eventId: ids.event, ...change, timestamp: createdAt },
          changedFields: payload.changed_fields,
        },
      ],
      limitReached: false,
    },
  },
  countEventDeliveries: {
    parameters: { eventIds: ids.event },
    reply: {
      events: [
        { eventId: ids.event, webhooks: 3, delivered: 2, pending: 0, failed: 1, cancelled: 0 },
      ],
    },
  },
  getEvent: {
    parameters: { eventId: ids.event },
    reply: {
      eventId: ids.event,
      ...change,
      timestamp: createdAt,
      record: payload.record,
      changedFields: payload.changed_fields,
      webhooks: [
        {
          webhookId: ids.subscription,
          webhookName,
          delivered: true,
          outcome: 'delivered',
          reason: 'It matched and the receiver took it',
          delivery,
        },
      ],
      webhooksLeftOut: 0,
    },
  },
  getEventBefore: {
    parameters: { eventId: ids.event },
    reply: {
      outcome: 'found',
      eventId: '0199a1c6-5a11-7e02-8f4d-1b2c3d4e5f60',
      event: 'INSERT',
      timestamp: '2026-01-01T11:48:00.000Z',
      record: { ...payload.record, status: 'new' },
    },
  },
  getEnvironmentStats: {
    parameters: { window: '1h' },
    reply: {
      ...stats,
      webhooks: [
        {
          webhookId: ids.subscription,
          counts,
          attempts: 242,
          successRate: 0.9835,
          latencyMs: { p50: 31, p95: 120 },
          trend: { delivered: [238], failed: [4] },
        },
      ],
      nextCursor: null,
    },
  },
  getWebhookStats: {
    parameters: { ...parameters, window: '1h' },
    reply: { ...stats, latencyMs: { p50: 31, p95: 120 } },
  },
  cancelDeliveries: { parameters, body: { status: 'paused' }, reply: { count: 12 } },
  listEndpoints: { reply: { endpoints: [endpoint], nextCursor: null } },
  getEndpoint: { parameters: { id: ids.endpoint }, reply: endpoint },
  closeEndpoint: { parameters: { id: ids.endpoint } },
}
