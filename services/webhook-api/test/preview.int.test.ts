import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import type { Preview } from '@surehook/contracts/http/webhooks/log'
import { buildBody } from '@surehook/matching/build-body'
import { type Client } from '@surehook/scripts/client/call'
import { logChanges } from './support/changes.ts'
import { clientOf } from './support/client.ts'
import { useService } from './support/use-service.ts'

const under = useService()

const inserts = { table: 'orders', events: ['INSERT'] }

async function preview(input: object, by: Client = under.client): Promise<Preview> {
  const { status, text } = await by.call('POST /preview', input)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as Preview
}

describe('POST /_webhooks/preview', () => {
  it('shows the newest matching changes, newest first, with the bytes that would be sent', async () => {
    const [, second, third] = await logChanges(under.world, under.tenant, [
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
    const [event] = await logChanges(under.world, under.tenant, [
      { record: { total: 1, status: 'open' } },
    ])
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
      under.world,
      under.tenant,
      Array.from({ length: 520 }, (_, total) => ({ record: { total } })),
    )
    const shown = await preview(inserts)
    expect([shown.scanned, shown.matched, shown.samples.length]).toEqual([500, 500, 10])
  })

  it('shows nothing of other tenants, and stores and sends nothing', async () => {
    const other = await under.world.tenant()
    await logChanges(under.world, other, [{ record: { total: 1 } }])
    await logChanges(under.world, { ...under.tenant, environment: 'other' }, [
      { record: { total: 1 } },
    ])
    expect(await preview(inserts)).toMatchObject({ scanned: 0, matched: 0, samples: [] })
    expect((await under.client.list()).body.webhooks).toEqual([])
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
    const { status, body } = await under.client.call('POST /preview', input)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations?.map((violation) => violation.field)).toEqual([field])
  })

  it('is only for the tenant', async () => {
    const { body } = await under.client.call('POST /preview', { ...inserts, environment: 'other' })
    expect(body.error).toBe('ENVIRONMENT_MISMATCH')
    const none = clientOf(under.service.api, { ...under.tenant, environment: 'nowhere' })
    expect((await none.call('POST /preview', inserts)).body.error).toBe('ENVIRONMENT_NOT_FOUND')
    const stranger = clientOf(under.service.api, {
      ...under.tenant,
      token: (await under.world.tenant()).token,
    })
    expect((await stranger.call('POST /preview', inserts)).status).toBe(403)
  })
})
