import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { expectStatus, type Fields } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { verifySignature, verifyStandardWebhook } from '@surehook/scripts/receiver/verify-signature'
import { type Listener } from '../support/listening-world.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { payloadOf } from '../support/world.ts'

let world: SharedListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const change = async (record: Fields, fields: object) =>
  expectStatus(200, await tenant.rest(`PATCH orders/${record.id}`, fields)).body
const remove = async (record: Fields) =>
  expectStatus(200, await tenant.rest(`DELETE orders/${record.id}`)).body

it('carries one change from the data API to a signed delivery, through all services', async () => {
  const listener = await world.listen(tenant)
  const record = await tenant.insert({ status: 'new', n: 1 })

  const receipt = await listener.firstReceipt()
  const payload = payloadOf(receipt)
  expect(payload.record).toEqual(record)
  expect(verifySignature(receipt, defaultSecret)).toBe(true)

  const [delivery] = await listener.log(([newest]) => newest?.status === 'delivered')
  expect(delivery).toMatchObject({ eventId: payload.id, httpStatus: 204, attempts: 1 })
})

describe('the body of a delivery', () => {
  it('has exactly the fields of the spec, in the same order', async () => {
    const listener = await world.listen(tenant)
    await tenant.insert({ status: 'new' })
    const [payload] = await listener.arrived(1)
    expect(Object.keys(payload ?? {})).toEqual([
      'id',
      'timestamp',
      'project_id',
      'environment',
      'table',
      'event',
      'record',
      'data',
      'changed_fields',
    ])
  })

  it('reports an INSERT: the record as answered, no changed fields', async () => {
    const listener = await world.listen(tenant)
    const before = new Date().toISOString()
    const record = await tenant.insert({ status: 'new', n: 7, note: null })
    const after = new Date().toISOString()
    const [payload] = await listener.arrived(1)
    expect(payload).toEqual({
      id: expect.stringMatching(uuid),
      timestamp: expect.any(String),
      project_id: tenant.projectId,
      environment: tenant.environment,
      table: 'orders',
      event: 'INSERT',
      record,
      data: record,
      changed_fields: [],
    })
    const timestamp = new Date(payload?.timestamp ?? '').toISOString()
    expect([before, timestamp, after].toSorted()).toEqual([before, timestamp, after])
    expect(payload?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
  })

  it('reports an UPDATE: the record after it, and what the client changed', async () => {
    const record = await tenant.insert({ status: 'new', n: 1, note: 'same' })
    const listener = await world.listen(tenant, { events: ['UPDATE'] })
    const updated = await change(record, { status: 'paid', n: 2, note: 'same' })
    const [payload] = await listener.arrived(1)
    expect(payload).toMatchObject({ event: 'UPDATE', record: updated, data: updated })
    expect(payload?.changed_fields.toSorted()).toEqual(['n', 'status'])
  })

  it('reports a DELETE: the record as it was just before, no changed fields', async () => {
    const record = await tenant.insert({ status: 'new' })
    const last = await change(record, { status: 'paid' })
    const listener = await world.listen(tenant, { events: ['DELETE'] })
    await remove(record)
    const [payload] = await listener.arrived(1)
    expect(payload).toMatchObject({ event: 'DELETE', record: last, data: last, changed_fields: [] })
  })

  it('holds values of every type as the data API returns them', async () => {
    await tenant.putTable('things', {
      a: 'text',
      b: 'bigint',
      c: 'decimal',
      d: 'double',
      e: 'boolean',
      f: 'timestamp',
      g: 'date',
      h: 'uuid',
      i: 'json',
    })
    const listener = await world.listen(tenant, { table: 'things' })
    const record = await tenant.insert(
      {
        a: 'ä "\\\n\u2028 😀',
        b: '9007199254740993',
        c: '0.10',
        d: 1e-7,
        e: false,
        f: '2026-01-02T03:04:05.678+02:00',
        g: '2026-02-28',
        h: '018f3c1e-7b7a-7c3f-8a44-0242ac120002',
        i: { list: [1, null, { deep: '✓' }] },
      },
      'things',
    )
    expect(record).toMatchObject({ b: '9007199254740993', c: '0.10', i: { list: [1, null, {}] } })
    const receipt = await listener.firstReceipt()
    expect(payloadOf(receipt).record).toEqual(record)
    expect(verifySignature(receipt, defaultSecret)).toBe(true)
  })

  it('holds a record of the largest size', async () => {
    const listener = await world.listen(tenant)
    const record = await tenant.insert({ note: 'ü'.repeat(127 * 1024) })
    const receipt = await listener.firstReceipt()
    expect(payloadOf(receipt).data).toEqual(record)
    expect(verifySignature(receipt, defaultSecret)).toBe(true)
  })

  it('has only the selected fields in record and data, but all in changed_fields', async () => {
    const listener = await world.listen(tenant, { select: ['status', 'id'] })
    const record = await tenant.insert({ status: 'new', n: 1 })
    await change(record, { n: 2 })
    await remove(record)
    const payloads = await listener.arrived(3)
    const selected = { id: record.id, status: 'new' }
    expect(payloads.map((payload) => [payload.record, payload.data])).toEqual(
      Array(3).fill([selected, selected]),
    )
    expect(payloads[1]?.changed_fields).toEqual(['n'])
  })
})

describe('the request of a delivery', () => {
  it('is a POST to the URL of the subscription, its query included', async () => {
    const path = '/hook%20s?shop=1&q=%C3%A4'
    await tenant.subscribe(world.receiver.url(path))
    await tenant.insert()
    const [receipt] = await world.receiver.waitFor(path, 1)
    expect(receipt?.method).toBe('POST')
  })

  it.each(['INSERT', 'UPDATE', 'DELETE'])('has the headers of the spec: %s', async (event) => {
    const record = await tenant.insert({ n: 1 })
    const listener = await world.listen(tenant, { events: [event] })
    await tenant.insert({ n: 1 })
    await change(record, { n: 2 })
    await remove(record)
    const receipt = await listener.firstReceipt()
    const digest = createHmac('sha256', defaultSecret).update(receipt.body).digest('hex')
    expect(receipt.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': event,
      'x-service-delivery': payloadOf(receipt).id,
      'x-service-signature': `sha256=${digest}`,
      'x-webhook-signature': digest,
    })
  })

  it('has the headers of Standard Webhooks, with the delivery as id', async () => {
    const listener = await world.listen(tenant)
    await tenant.insert()
    const receipt = await listener.firstReceipt()
    const [delivery] = await listener.log(([newest]) => newest !== undefined)
    expect(receipt.headers['webhook-id']).toBe(delivery?.id)
    const sentAt = Number(receipt.headers['webhook-timestamp']) * 1_000
    expect(Math.abs(receipt.at - sentAt)).toBeLessThan(60_000)
    expect(verifyStandardWebhook(receipt, defaultSecret)).toBe(true)
  })
})

describe('the secret', () => {
  it('of a subscription signs its deliveries, and no other secret verifies them', async () => {
    const secrets = ['x', 'ключ 🔑', `whsec_${Buffer.from('key').toString('base64')}`]
    const listeners = await Promise.all(secrets.map((secret) => world.listen(tenant, { secret })))
    await tenant.insert()
    for (const [index, listener] of listeners.entries()) {
      const receipt = await listener.firstReceipt()
      const verified = secrets.map((secret) => verifySignature(receipt, secret))
      expect(verified).toEqual(secrets.map((_, at) => at === index))
      expect(verifyStandardWebhook(receipt, secrets[index] ?? '')).toBe(true)
    }
  })

  const rotate = async (listener: Listener, body: object) => {
    expectStatus(200, await tenant.webhooks(`PATCH /${listener.id}`, body))
    await tenant.insert()
    return listener.firstReceipt()
  }

  it('is replaced by PATCH; both sign in webhook-signature meanwhile', async () => {
    const receipt = await rotate(await world.listen(tenant), { secret: 'another' })
    expect(verifySignature(receipt, 'another')).toBe(true)
    expect(verifySignature(receipt, defaultSecret)).toBe(false)
    expect(verifyStandardWebhook(receipt, 'another')).toBe(true)
    expect(verifyStandardWebhook(receipt, defaultSecret)).toBe(true)
  })

  it('that was replaced without an overlap no longer signs', async () => {
    const listener = await world.listen(tenant)
    const receipt = await rotate(listener, { secret: 'another', secretOverlap: 0 })
    expect(verifySignature(receipt, 'another')).toBe(true)
    expect(verifyStandardWebhook(receipt, 'another')).toBe(true)
    expect(verifyStandardWebhook(receipt, defaultSecret)).toBe(false)
  })
})
