import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { listDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import type { ReplyOf } from '@surehook/contracts/operation'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { dropOldDays } from '../src/retention/drop-old-days.ts'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const dayMs = 86_400_000
const historyDays = 30
let world: World
let service: Running
let pool: Pool
let client: WebhooksClient
let subscriptionId: string
let tenant: Tenant

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService({ historyDays })
  pool = world.historyPool
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  subscriptionId = (await client.call('POST', validInput(tenant))).body.id
})

const dropOld = () => dropOldDays(pool, { historyDays, now: Date.now() })

/** Makes a delivery of an expired day. */
function aDelivery() {
  const createdAt = Date.now() - 40 * dayMs
  const { projectId, environment } = tenant
  const ids = { deliveryId: randomUUID(), eventId: randomUUID(), subscriptionId }
  const own = { ...ids, projectId, environment, createdAt }
  const { producer, codec } = world
  return {
    id: own.deliveryId,
    publishJob: () => {
      const job = aJob(own)
      return producer.send([{ topic: deliveriesTopic, key: job.url, value: codec.job.encode(job) }])
    },
    publishTransition: (change: object) => {
      const value = codec.attempt.encode(anAttempt({ ...own, at: Date.now(), ...change }))
      return producer.send([{ topic: attemptsTopic, key: own.deliveryId, value }])
    },
  }
}

const shown = async (query = '') =>
  (await client.call<ReplyOf<typeof listDeliveries>>(`GET /${subscriptionId}/deliveries?${query}`))
    .body
const statusOf = async (id: string) =>
  (await shown()).deliveries.filter((one) => one.id === id).map(({ status }) => status)
const untilStatus = (id: string, status: string) =>
  until(async () => String(await statusOf(id)) === status, {
    what: `${status} shown once`,
    timeoutMs: 20_000,
  })

it('shows a delivery that was paused for longer than history is kept, and then died', async () => {
  const delivery = aDelivery()
  await delivery.publishTransition({
    step: 6,
    status: 'retrying',
    attempts: 4,
    at: Date.now() - dayMs,
  })
  await untilStatus(delivery.id, 'retrying')
  await dropOld()
  expect(await statusOf(delivery.id)).toEqual(['retrying'])
  await delivery.publishTransition({ step: 7, status: 'dead_letter', attempts: 5 })
  await untilStatus(delivery.id, 'dead_letter')
  await dropOld()
  expect(await statusOf(delivery.id)).toEqual(['dead_letter'])
  const { body } = await client.get(subscriptionId)
  expect(body.deliveries.map(({ id }) => id)).toEqual([delivery.id])
})

it('moves the row of an expired day, with its bytes', async () => {
  const delivery = aDelivery()
  await delivery.publishJob()
  await untilStatus(delivery.id, 'pending')
  await delivery.publishTransition({ step: 2, status: 'delivered' })
  await untilStatus(delivery.id, 'delivered')
  await dropOld()
  const { status, text } = await client.call(`GET /${subscriptionId}/deliveries/${delivery.id}`)
  expect([status, JSON.parse(text)]).toEqual([
    200,
    expect.objectContaining({ status: 'delivered', body: aJob().body.toString() }),
  ])
})

it('leaves no delivery out between the pages of a list', async () => {
  const deliveries = [aDelivery(), aDelivery(), aDelivery()]
  for (const [days, delivery] of deliveries.entries()) {
    await delivery.publishTransition({ step: 6, at: Date.now() - days * dayMs })
    await untilStatus(delivery.id, 'delivered')
  }
  const found: string[] = []
  let cursor = ''
  for (;;) {
    const { deliveries: page, nextCursor } = await shown(`limit=1${cursor}`)
    found.push(...page.map(({ id }) => id))
    if (nextCursor === null) break
    cursor = `&cursor=${nextCursor}`
  }
  expect(found).toEqual(deliveries.map(({ id }) => id))
})
