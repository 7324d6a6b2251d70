import { createdAt, ids, type OperationExamples } from './operation-example.ts'

const record = { id: ids.record, customer: 'Ada', status: 'paid', total: '12.50' }

/** The body of a delivery. */
export const payload = {
  id: ids.event,
  timestamp: createdAt,
  project_id: 'shop',
  environment: 'master',
  table: 'orders',
  event: 'UPDATE',
  record,
  data: record,
  changed_fields: ['status'],
}

export const delivery = {
  id: ids.delivery,
  eventId: ids.event,
  status: 'delivered',
  httpStatus: 204,
  attempts: 1,
  createdAt,
  lastError: null,
  nextAttemptAt: null,
  redeliveryOf: null,
}

const parameters = { id: ids.subscription }
const ofDelivery = { ...parameters, deliveryId: ids.delivery }
const rebuild = {
  id: ids.rebuild,
  state: 'running',
  askedAt: createdAt,
  finishedAt: null,
  read: 0,
  toRead: 0,
  since: null,
}
const counts = {
  matched: 240,
  delivered: 238,
  dead: 1,
  pending: 0,
  retrying: 1,
  paused: 0,
  cancelled: 0,
  neverMatched: 0,
  lost: 0,
  unexpected: 0,
  awaiting: 0,
  unverified: 0,
  endedTwice: 0,
  asked: {
    made: 0,
    delivered: 0,
    dead: 0,
    pending: 0,
    retrying: 0,
    paused: 0,
    cancelled: 0,
    lost: 0,
    endedTwice: 0,
  },
}

export const deliveryExamples: OperationExamples = {
  listDeliveries: {
    parameters: { ...parameters, status: 'delivered', limit: 1 },
    reply: { deliveries: [delivery], nextCursor: null },
  },
  getDelivery: {
    parameters: ofDelivery,
    reply: {
      ...delivery,
      webhookId: ids.delivery,
      body: JSON.stringify(payload),
      attemptLog: [
        {
          at: '2026-01-01T12:00:00.120Z',
          attempt: 1,
          outcome: 'delivered',
          url: 'https://receiver.example/hooks',
          httpStatus: 204,
          latencyMs: 31,
          errorClass: null,
          errorMessage: null,
          answer: '',
        },
      ],
      retryDelays: ['1s', '5s', '30s', '5m'],
    },
  },
  redeliver: {
    parameters: ofDelivery,
    reply: { deliveryId: 'c2b1a0f9-8e7d-5c6b-9a4f-3e2d1c0b9a8f' },
  },
  recoverWebhook: {
    parameters,
    body: { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
    reply: { count: 12 },
  },
  testWebhook: { parameters, reply: { eventId: ids.event, deliveryId: ids.delivery } },
  rebuildHistory: { reply: rebuild },
  getHistoryRebuild: {
    reply: {
      rebuild: {
        ...rebuild,
        state: 'done',
        finishedAt: '2026-01-01T12:04:10.000Z',
        read: 48200,
        toRead: 48200,
        since: '2025-12-02T00:00:00.000Z',
      },
    },
  },
  getLedger: {
    parameters: { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z', project: 'shop' },
    reply: {
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T01:00:00.000Z',
      takenAt: createdAt,
      seconds: 1.4,
      complete: true,
      closes: true,
      notes: [],
      changes: 240,
      total: counts,
      webhooks: [
        { ...counts, projectId: 'shop', environment: 'master', webhookId: ids.subscription },
      ],
      webhooksLeftOut: 0,
      holes: [],
      holesLeftOut: 0,
      endedTwice: [],
    },
  },
}
