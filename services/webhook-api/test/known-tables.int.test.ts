import { describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { validInput } from './support/client.ts'
import { publishTable } from './support/tables.ts'
import { type Tenant } from './support/under-test.ts'
import { useService } from './support/use-service.ts'

const under = useService()

const table = (name: string, of: Record<string, string> | null, owner: Tenant = under.tenant) =>
  publishTable(under.world, owner, { name, columns: of })

const columns = { status: 'text', total: 'integer', address: 'json', paid: 'boolean' }

/** [named fields, request], the same for POST, PATCH and a preview. */
const faults: [string[], object][] = [
  [['filter.nope'], { filter: { nope: 1 } }],
  [['filter.or.1.and.0.nope'], { filter: { or: [{ status: 'a' }, { and: [{ nope: 1 }] }] } }],
  [['filter.changed.1'], { filter: { changed: ['total', 'nope'] } }],
  [['filter.paid.gt'], { filter: { paid: { gt: true } } }],
  [['filter.total.gte'], { filter: { total: { gte: 'many' } } }],
  [['filter.status.inside'], { filter: { 'status.inside': 1 } }],
  [['filter.a', 'filter.b'], { filter: { a: 1, b: 2 }, select: ['c'] }],
]

const named = (body: { violations?: { field: string }[] | undefined }) =>
  body.violations?.map(({ field }) => field)

describe('for a table that is known', () => {
  it.each(faults)('names %j', async (fields, asked) => {
    await table('orders', columns)
    const input = { ...validInput(under.tenant), ...asked }
    const created = await under.client.call('POST', input)
    expect([created.status, named(created.body)]).toEqual([400, fields])
    const previewed = await under.client.call('POST /preview', input)
    expect([previewed.status, named(previewed.body)]).toEqual([400, fields])
    expect((await under.client.list()).body.webhooks).toEqual([])

    const { body } = await under.client.call('POST', validInput(under.tenant))
    const patched = await under.client.call(`PATCH /${body.id}`, asked)
    expect([patched.status, named(patched.body)]).toEqual([400, fields])
    expect((await under.client.get(body.id)).body.webhook).toEqual(body)
  })

  it('accepts existing fields, also those of every table and inside JSON', async () => {
    await table('orders', columns)
    const input = {
      ...validInput(under.tenant),
      filter: {
        status: { in: ['a'] },
        'address.city': 'Bonn',
        createdAt: { gt: '2026-01-01T00:00:00.000Z' },
        changed: ['total'],
      },
      select: ['id', 'total', 'updatedAt'],
    }
    expect((await under.client.call('POST', input)).status).toBe(201)
    expect((await under.client.call('POST /preview', input)).status).toBe(200)
  })

  it('interprets operands by the types of their columns', async () => {
    await table('orders', { total: 'decimal', due: 'timestamp', owner: 'uuid', note: 'text' })
    const filter = {
      total: { gte: '100.50' },
      or: [{ due: { lt: '2026-01-01T01:00:00+01:00' } }, { note: '100.50' }],
      owner: 'ABCDEF00-0000-4000-8000-000000000000',
    }
    const settled = {
      total: { gte: 100.5 },
      or: [{ due: { lt: '2026-01-01T00:00:00.000Z' } }, { note: '100.50' }],
      owner: 'abcdef00-0000-4000-8000-000000000000',
    }
    const { body } = await under.client.call('POST', { ...validInput(under.tenant), filter })
    expect(body.filter).toEqual(settled)
    const plain = await under.client.call('POST', validInput(under.tenant))
    expect((await under.client.call(`PATCH /${plain.body.id}`, { filter })).body.filter).toEqual(
      settled,
    )
    const shown = await under.client.get(plain.body.id)
    expect(shown.body.webhook).toMatchObject({ filter: settled })

    const digits = {
      ...validInput(under.tenant),
      filter: { total: { lt: '12345678901234567890.5' } },
    }
    for (const request of ['POST', 'POST /preview']) {
      const refused = await under.client.call(request, digits)
      expect([refused.status, named(refused.body)]).toEqual([400, ['filter.total.lt']])
    }
  })

  it('names the fields that another table lacks', async () => {
    await table('orders', columns)
    await table('invoices', { total: 'integer' })
    const input = {
      ...validInput(under.tenant),
      filter: { status: 'a' },
      select: ['total', 'paid'],
    }
    const { body } = await under.client.call('POST', input)
    const moved = await under.client.call(`PATCH /${body.id}`, { table: 'invoices' })
    expect([moved.status, named(moved.body)]).toEqual([400, ['filter.status']])
    const both = { table: 'invoices', filter: { total: 1 }, select: null }
    expect((await under.client.call(`PATCH /${body.id}`, both)).status).toBe(200)
  })

  it('leaves a subscription unchanged if the table changed since', async () => {
    const input = { ...validInput(under.tenant), filter: { status: 'a' } }
    const { body } = await under.client.call('POST', input)
    await table('orders', { total: 'integer' })
    expect((await under.client.call(`PATCH /${body.id}`, { active: false })).status).toBe(200)
    const again = await under.client.call(`PATCH /${body.id}`, { filter: { status: 'b' } })
    expect(named(again.body)).toEqual(['filter.status'])
  })
})

describe('for a table of a source', () => {
  const source = { name: 'shop', relation: 'public.orders', exclude: [] }
  const found = (of: Record<string, string>) =>
    publishTable(under.world, under.tenant, { name: 'orders', columns: of, source })

  it('knows its columns and no other field', async () => {
    await found({ id: 'integer', 'Card number': 'text' })
    const input = { ...validInput(under.tenant), filter: { 'Card number': '1' }, select: ['id'] }
    expect((await under.client.call('POST', input)).status).toBe(201)
    expect((await under.client.call('POST /preview', input)).status).toBe(200)
    const assigned = { ...input, filter: { createdAt: { gt: '2026-01-01T00:00:00.000Z' } } }
    const refused = await under.client.call('POST', { ...assigned, select: ['updatedAt'] })
    expect([refused.status, named(refused.body)]).toEqual([400, ['filter.createdAt']])
  })

  it('accepts any field until its columns are known, and then warns and settles', async () => {
    await found({})
    const input = { ...validInput(under.tenant), filter: { total: '12.50', nope: 1 } }
    const { status, body } = await under.client.call('POST', input)
    const later = [{ field: 'filter', message: 'is checked when the columns are known' }]
    expect([status, body.warnings]).toEqual([201, later])
    const fitting = { ...validInput(under.tenant), filter: { total: '12.50' } }
    const { body: other } = await under.client.call('POST', fitting)
    await found({ total: 'decimal' })
    const shown = async (id: string) => (await under.client.get(id)).body.webhook
    const warned = async () => (await shown(body.id)).warnings?.map(({ field }) => field)
    await until(async () => (await warned())?.join() === 'filter.nope', { what: 'a warning' })
    const settled = async () => (await shown(other.id)).filter?.['total'] === 12.5
    await until(settled, { what: 'the settled filter' })
  })
})

describe('for a table that is not known', () => {
  it('accepts any field: the table may come later, was dropped, or belongs to another tenant', async () => {
    const input = { ...validInput(under.tenant), filter: { anything: 1 }, select: ['anything'] }
    await table('orders', columns, await under.world.tenant())
    await table('orders', columns, { ...under.tenant, environment: 'other' })
    expect((await under.client.call('POST', input)).status).toBe(201)
    await table('orders', columns)
    expect((await under.client.call('POST', input)).status).toBe(400)
    await table('orders', null)
    expect((await under.client.call('POST', input)).status).toBe(201)
  })
})
