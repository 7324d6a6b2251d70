import { expect, it } from '@jest/globals'
import { deliveryId, newEventId } from '@surehook/contracts/ids'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { testJob } from './test-job.ts'

const now = Date.UTC(2026, 5, 15, 12)

const subscription = aSubscription({
  events: ['DELETE', 'INSERT'],
  filter: '{"status":"never"}',
  select: ['status'],
})

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
