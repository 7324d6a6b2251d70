import { delivery, payload } from './deliveries.ts'
import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const input = {
  name: 'Billing of ACME',
  key: 'billing',
  description: 'Sends paid orders to accounting',
  projectId: 'shop',
  environment: 'master',
  table: 'orders',
  events: ['INSERT', 'UPDATE'],
  url: 'https://receiver.example/hooks',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  filter: { status: 'paid' },
}
const { secret, ...shown } = input
const subscription = { id: ids.subscription, ...shown, active: true, createdAt }
const parameters = { id: ids.subscription }
const body = JSON.stringify(payload)
const cursor = 'ASSNz7sBtYy2AfKfvLkBFt0nD4mS6g2r'

export const webhookExamples: OperationExamples = {
  streamChanges: {
    parameters: { table: 'orders', events: 'INSERT,UPDATE', from: '1h' },
    reply: `event: UPDATE\nid: ${cursor}\ndata: ${body}\n\n`,
    replyAs: {
      'application/x-ndjson': `${JSON.stringify({
        cursor,
        headers: { 'x-service-event': 'UPDATE', 'x-service-delivery': ids.event },
        body,
      })}\n`,
    },
  },
  createWebhook: { body: input, reply: subscription },
  listWebhooks: { reply: { webhooks: [subscription], nextCursor: null } },
  getWebhook: { parameters, reply: { webhook: subscription, deliveries: [delivery] } },
  updateWebhook: {
    parameters,
    body: {
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      secretOverlap: 3600,
      filter: null,
      policy: { headers: { Authorization: 'Bearer 4f1c0a' } },
    },
    reply: {
      ...{ id: ids.subscription, ...shown, filter: undefined, active: true, createdAt },
      policy: { headerNames: ['Authorization'] },
      previousSecretExpiresAt: '2026-01-01T13:00:00.000Z',
    },
  },
  deleteWebhook: { parameters },
  previewWebhook: {
    body: { table: 'orders', events: ['INSERT', 'UPDATE'], filter: { status: 'paid' } },
    reply: {
      scanned: 120,
      matched: 1,
      samples: [
        {
          eventId: ids.event,
          headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'UPDATE' },
          body: JSON.stringify(payload),
        },
      ],
    },
  },
  explainWebhook: {
    parameters: { ...parameters, eventId: ids.event },
    reply: {
      eventId: ids.event,
      outcome: 'not_delivered',
      reason: 'The record did not match filter.status',
      field: 'filter.status',
    },
  },
  replayWebhook: {
    parameters,
    body: { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
    reply: { replayId: ids.replay },
  },
  getReplay: {
    parameters: { ...parameters, replayId: ids.replay },
    reply: {
      id: ids.replay,
      webhookId: ids.subscription,
      state: 'done',
      from: '2026-01-01T00:00:00.000Z',
      until: '2026-01-02T00:00:00.000Z',
      scanned: 1200,
      deliveries: 84,
      createdAt: '2026-01-02T08:30:00.000Z',
      finishedAt: '2026-01-02T08:30:04.000Z',
    },
  },
}
