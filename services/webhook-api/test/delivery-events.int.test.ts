import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { ChangeEvent, DeliveryAttempt } from '@surehook/contracts/events'
import { deadLetterEventId, endpointId } from '@surehook/contracts/ids'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, changesTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { type LogReader, openLogReader } from '@surehook/kafka/readers/log-reader'
import { until } from '@surehook/testing/until'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { readLog } from './support/read-log.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: WebhooksClient
let reader: LogReader

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  reader = openLogReader({ kafka: world.kafka, topic: changesTopic, clientId: 'test', log })
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const create = (fields: object) => client.call('POST', { ...validInput(tenant), ...fields })

type DeadLetterFields = { table?: string; by?: Tenant; transition?: Partial<DeliveryAttempt> }

/** Publishes a delivery that becomes a dead letter, as matcher and dispatcher do. */
async function deadLetter(subscriptionId: string, given: DeadLetterFields = {}): Promise<string> {
  const { table = 'orders', by = tenant, transition = {} } = given
  const [deliveryId, now] = [randomUUID(), Date.now()]
  const { projectId, environment } = by
  const of = { deliveryId, subscriptionId, projectId, environment, eventId: randomUUID() }
  const job = aJob({ ...of, table, createdAt: now, webhookId: deliveryId })
  const change = { table, operation: 'INSERT', recordId: 'r1', redeliveryOf: null } as const
  const ended = anAttempt({
    ...{ ...of, change, createdAt: now, at: now + 5, step: 9, status: 'dead_letter', attempts: 5 },
    ...{ httpStatus: 503, errorClass: 'http', url: 'https://receiver.example/hook?key=hidden' },
    ...transition,
  })
  const records = [
    { topic: deliveriesTopic, key: deliveryId, value: world.codec.job.encode(job) },
    { topic: attemptsTopic, key: deliveryId, value: world.codec.attempt.encode(ended) },
  ]
  await world.producer.send(records)
  return deliveryId
}

async function eventsOf(of: Tenant, table: string): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = []
  for await (const { key, value } of readLog(reader)) {
    const isWanted = String(key).startsWith(`${of.projectId}/${of.environment}/${table}/`)
    if (isWanted && value) events.push(await world.codec.change.decode(value))
  }
  return events
}

async function untilEvent(table: string, isWanted: (event: ChangeEvent) => boolean, of = tenant) {
  const wanted: ChangeEvent[] = []
  const isThere = async () => {
    wanted.splice(0, Infinity, ...(await eventsOf(of, table)).filter(isWanted))
    return wanted.length > 0
  }
  await until(isThere, { what: `an event of ${table}` })
  return wanted
}

const ofDelivery = (id: string) => (event: ChangeEvent) => event.recordId === id

describe('_deliveries', () => {
  it('has an event for a dead letter, without its body and the query of its URL', async () => {
    const { body } = await create({ name: 'Billing' })
    const id = await deadLetter(body.id)
    const events = await untilEvent('_deliveries', ofDelivery(id))
    expect(events).toHaveLength(1)
    const [event] = events
    expect(event).toMatchObject({ id: deadLetterEventId(id), operation: 'INSERT' })
    expect(JSON.parse(event?.record ?? '')).toMatchObject({
      ...{ id, webhookId: body.id, table: 'orders', event: 'INSERT', recordId: 'r1' },
      ...{ status: 'dead_letter', attempts: 5, httpStatus: 503, lastError: 'http' },
      ...{ url: 'https://receiver.example/hook', webhookName: 'Billing' },
    })
    expect(event?.record).not.toContain('hidden')
  })

  it('has none for other transitions, nor for deliveries about deliveries', async () => {
    const { body } = await create({ table: '_deliveries' })
    const none = [
      await deadLetter(body.id, { transition: { status: 'retrying', change: null } }),
      await deadLetter(body.id, { table: '_deliveries' }),
      await deadLetter(body.id, { table: '_endpoints' }),
    ]
    const isFiled = async () => {
      const sql = 'select from delivery where id = any($1::uuid[])'
      return (await world.historyPool.query(sql, [none])).rows.length === none.length
    }
    await until(isFiled, { what: 'the deliveries in the history' })
    const canary = await deadLetter((await create({})).body.id)
    await untilEvent('_deliveries', ofDelivery(canary))
    const published = (await eventsOf(tenant, '_deliveries')).map(({ recordId }) => recordId)
    expect(published).toEqual([canary])
  })

  it('keeps tenants apart', async () => {
    const neighbour = await world.tenant()
    const { body } = await create({ name: 'Billing' })
    const id = await deadLetter(body.id, { by: neighbour })
    const [event] = await untilEvent('_deliveries', ofDelivery(id), neighbour)
    expect(JSON.parse(event?.record ?? '')).toMatchObject({ webhookName: null })
    expect(await eventsOf(tenant, '_deliveries')).toEqual([])
  })
})

describe('_endpoints', () => {
  const gone = { policy: { gone: 'deactivate' } }
  const answered410 = (subscriptionId: string) => {
    const { url } = validInput(tenant)
    const transition = { url, httpStatus: 410, at: Date.now() + 1_000 }
    return deadLetter(subscriptionId, { transition })
  }
  const deactivated = (id: string) =>
    until(async () => !(await client.get(id)).body.webhook.active, {
      what: 'the deactivation',
    })

  it('has an event for a subscription that was deactivated, unless it is about deliveries', async () => {
    const { body: watching } = await create({ ...gone, table: '_endpoints' })
    const { body: failing } = await create({ ...gone, key: 'failing' })
    await answered410(watching.id)
    await deactivated(watching.id)
    await answered410(failing.id)
    const events = await untilEvent('_endpoints', () => true)
    expect(events).toHaveLength(1)
    const [event] = events
    const { projectId, environment } = tenant
    const id = endpointId({ projectId, environment, url: validInput(tenant).url })
    expect(event).toMatchObject({ recordId: id, operation: 'UPDATE' })
    expect(JSON.parse(event?.record ?? '')).toMatchObject({
      ...{ id, change: 'webhook_deactivated', webhookId: failing.id, circuit: null },
      webhookName: 'failing',
      reason: expect.stringContaining('410 Gone'),
    })
  })
})

describe('a subscription to a reserved table', () => {
  it('has no warning, and its filter is checked and fitted', async () => {
    const webhookId = 'ABCDEF00-0000-4000-8000-000000000000'
    const filter = { attempts: { gte: 3 }, webhookId }
    const made = await create({ table: '_deliveries', filter })
    expect(made.status).toBe(201)
    expect(made.body).not.toHaveProperty('warnings')
    expect(made.body.filter).toEqual({ ...filter, webhookId: webhookId.toLowerCase() })
  })

  it.each([
    ['_deliveries', { body: 'x' }],
    ['_deliveries', { attempts: 'many' }],
    ['_endpoints', { nope: 1 }],
  ])('of %s refuses the filter %j', async (table, filter) => {
    expect(await create({ table, filter })).toMatchObject({ status: 400 })
  })
})
