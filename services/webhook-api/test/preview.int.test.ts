import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Preview } from '@surehook/contracts/http/webhooks/log'
import { buildBody } from '@surehook/matching/build-body'
import { type Client } from '@surehook/scripts/client/call'
import { logChanges } from './support/changes.ts'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const inserts = { table: 'orders', events: ['INSERT'] }

async function preview(input: object, by: Client = client): Promise<Preview> {
  const { status, text } = await by.call('POST /preview', input)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as Preview
}

describe('POST /_webhooks/preview', () => {
  it('shows the newest matching changes, newest first, with the bytes that would be sent', async () => {
    const [, second, third] = await logChanges(world, tenant, [
      { timestamp: '2026-01-01T00:00:00.000Z', record: { total: 1 } },
      { timestamp: '2026-01-01T00:00:01.000Z', record: { total: 2, note: 'ü' } },
      { timestamp: '2026-01-01T00:00:02.000Z', record: { total: 3 } },
      { table: 'others', record: { total: 4 } },
      { operation: 'DELETE', record: { total: 5 } },
    ])
    const shown = await preview({ ...inserts, filter: { total: { gte: 2 } } })
    expect(shown).toMatchObject({ scanned: 4, matched: 2 })
    expect(shown.samples.map(({ eventId }) => eventId)).toEqual([third?.id, second?.id])
    expect(shown.samples.map(({ body }) => body)).toEqual(
      [third, second].map((event) => event && buildBody(event, null).toString()),
    )
  })

  it('signs the selected fields with the given secret, and without a secret not at all', async () => {
    const [event] = await logChanges(world, tenant, [{ record: { total: 1, status: 'open' } }])
    const secret = 'preview-secret-1'
    const { samples } = await preview({ ...inserts, secret, select: ['status'] })
    const [{ headers, body } = { headers: {}, body: '' }] = samples
    expect(JSON.parse(body)).toMatchObject({ record: { status: 'open' }, id: event?.id })
    const hex = createHmac('sha256', secret).update(body).digest('hex')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'INSERT',
      'x-service-delivery': event?.id,
      'x-service-signature': `sha256=${hex}`,
      'x-webhook-signature': hex,
      'webhook-signature': expect.stringMatching(/^v1,/),
    })
    const unsigned = await preview(inserts)
    expect(Object.keys(unsigned.samples[0]?.headers ?? {}).toSorted()).toEqual([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-timestamp',
      'x-service-delivery',
      'x-service-event',
    ])
  })

  it('counts up to its limit, and shows ten', async () => {
    await logChanges(
      world,
      tenant,
      Array.from({ length: 520 }, (_, total) => ({ record: { total } })),
    )
    const shown = await preview(inserts)
    expect([shown.scanned, shown.matched, shown.samples.length]).toEqual([500, 500, 10])
  })

  it('shows nothing of other tenants, and stores and sends nothing', async () => {
    const other = await world.tenant()
    await logChanges(world, other, [{ record: { total: 1 } }])
    await logChanges(world, { ...tenant, environment: 'other' }, [{ record: { total: 1 } }])
    expect(await preview(inserts)).toMatchObject({ scanned: 0, matched: 0, samples: [] })
    expect((await client.call('GET')).body.webhooks).toEqual([])
  })

  it.each([
    ['table', { events: ['INSERT'] }],
    ['events', { table: 'orders' }],
    ['table', { ...inserts, table: 'Orders' }],
    ['events.0', { ...inserts, events: ['insert'] }],
    ['filter.total.above', { ...inserts, filter: { total: { above: 1 } } }],
    ['filter.or.1.total.gt', { ...inserts, filter: { or: [{ a: 1 }, { total: { gt: [] } }] } }],
    ['select', { ...inserts, select: [] }],
    ['secret', { ...inserts, secret: '' }],
    ['url', { ...inserts, url: 'http://receiver.example' }],
    ['projectId', { ...inserts, projectId: 'another' }],
    ['limit', { ...inserts, limit: 5 }],
  ])('refuses a fault of %s', async (field, input) => {
    const { status, body } = await client.call('POST /preview', input)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations?.map((violation) => violation.field)).toEqual([field])
  })

  it('is only for the tenant', async () => {
    const { body } = await client.call('POST /preview', { ...inserts, environment: 'other' })
    expect(body.error).toBe('ENVIRONMENT_MISMATCH')
    const none = clientOf(service.api, { ...tenant, environment: 'nowhere' })
    expect((await none.call('POST /preview', inserts)).body.error).toBe('ENVIRONMENT_NOT_FOUND')
    const stranger = clientOf(service.api, { ...tenant, token: (await world.tenant()).token })
    expect((await stranger.call('POST /preview', inserts)).status).toBe(403)
  })
})
