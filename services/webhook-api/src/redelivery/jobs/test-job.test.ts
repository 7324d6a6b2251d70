import { expect, it } from '@jest/globals'
import { deliveryId, newEventId } from '@surehook/contracts/ids'
import type { SubscriptionRow } from '../../subscriptions/store/subscription-row.ts'
import { testJob } from './test-job.ts'

const now = Date.UTC(2026, 5, 15, 12)

const subscription: SubscriptionRow = {
  id: '5d6f2f9e-8d1c-4a44-9a39-0f0f6f2a7b11',
  project_id: 'shop',
  environment: 'master',
  watched_table: 'orders',
  events: ['DELETE', 'INSERT'],
  url: 'https://receiver.example/hook',
  active: false,
  filter: '{"status":"never"}',
  selected: ['status'],
  secrets: [],
  created_at: new Date(now - 1_000),
  updated_at: new Date(now - 1_000),
  disabled_at: null,
  disabled_reason: null,
  policy: null,
  cancellations: [],
  name: null,
}

it('is an ordinary delivery, whatever the filter and the selection', () => {
  const eventId = newEventId()
  const job = testJob(subscription, { eventId, now, traceparent: null })
  const id = deliveryId(eventId, subscription.id)
  expect(job).toMatchObject({
    deliveryId: id,
    webhookId: id,
    eventId,
    url: subscription.url,
    operation: 'DELETE',
    createdAt: now,
    attempt: 1,
    step: 0,
    redeliveryOf: null,
  })
  const timestamp = new Date(now).toISOString()
  expect(job.body.toString()).toBe(
    `{"id":"${eventId}","timestamp":"${timestamp}","project_id":"shop","environment":"master",` +
      '"table":"orders","event":"DELETE","record":{"test":true},"data":{"test":true},"changed_fields":[]}',
  )
})
