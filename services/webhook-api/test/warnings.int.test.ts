import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Warning } from '@surehook/contracts/http/webhooks/webhooks'
import { until } from '@surehook/testing/until'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { publishTable } from './support/tables.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: WebhooksClient

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

const table = (columns: Record<string, string> | null) =>
  publishTable(world, tenant, { name: 'orders', columns })
const fieldsOf = (of: { warnings?: Warning[] | undefined }) =>
  of.warnings?.map(({ field, message }) => {
    expect(message).not.toBe('')
    return field
  })
const create = async (fields: object) => {
  const { status, body } = await client.call('POST', { ...validInput(tenant), ...fields })
  expect(status).toBe(201)
  return body
}
const shown = async (id: string) => (await client.get(id)).body.webhook

async function untilWarned(id: string, fields: string[] | undefined): Promise<void> {
  const isShown = async () => JSON.stringify(fieldsOf(await shown(id))) === JSON.stringify(fields)
  await until(isShown, { what: `warnings of ${String(fields)}` })
}

describe('a subscription to a table that does not exist', () => {
  it('is accepted with warnings, which disappear when the table appears', async () => {
    const asked = { filter: { status: 'paid' }, select: ['status', 'later'] }
    const made = await create(asked)
    expect(fieldsOf(made)).toEqual(['table', 'filter', 'select'])
    expect(await shown(made.id)).toEqual(made)
    const { body: list } = await client.list()
    expect(list.webhooks).toEqual([made])

    await table({ status: 'text' })
    await untilWarned(made.id, ['select.1'])
    await table({ status: 'text', later: 'integer' })
    await untilWarned(made.id, undefined)
  })

  it('gets its operands fitted when the table appears, on the topic too', async () => {
    const filter = { total: { gte: '100.50' }, owner: 'ABCDEF00-0000-4000-8000-000000000000' }
    const settled = { total: { gte: 100.5 }, owner: 'abcdef00-0000-4000-8000-000000000000' }
    const { id } = await create({ filter })
    const patched = await create({})
    const { body } = await client.call(`PATCH /${patched.id}`, { filter })
    expect([body.filter, fieldsOf(body)]).toEqual([filter, ['table', 'filter']])

    await table({ total: 'decimal', owner: 'uuid' })
    for (const one of [id, patched.id]) {
      const isSettled = async () =>
        (await world.subscriptionStates()).get(one)?.filter === JSON.stringify(settled)
      await until(isSettled, { what: 'the settled filter' })
      expect(await shown(one)).toMatchObject({ filter: settled })
    }
  })

  it('is fitted by a service that was down when the table appeared', async () => {
    const { id } = await create({ filter: { total: '1.50' } })
    await service[Symbol.asyncDispose]()
    await table({ total: 'decimal' })
    service = await world.startService()
    const again = clientOf(service.api, tenant)
    const isSettled = async () => {
      const { webhook } = (await again.get(id)).body
      return webhook.filter?.['total'] === 1.5
    }
    await until(isSettled, { what: 'the settled filter' })
  })

  it('keeps a filter that does not fit, and names the places', async () => {
    const filter = { total: { gte: 'many' }, nope: 1 }
    const { id } = await create({ filter })
    await table({ total: 'integer' })
    await untilWarned(id, ['filter.total.gte', 'filter.nope'])
    expect(await shown(id)).toMatchObject({ filter })
    await table(null)
    await untilWarned(id, ['table', 'filter'])
  })

  it.each(['users', '_webhooks'])('needs no warning for %s', async (name) => {
    expect(await create({ table: name, filter: { id: '1' } })).not.toHaveProperty('warnings')
  })
})

describe('a field that a known table lacks', () => {
  it('is a warning in a selection, and refused in a filter', async () => {
    await table({ status: 'text' })
    const made = await create({ select: ['status', 'nope'] })
    expect(fieldsOf(made)).toEqual(['select.1'])
    const input = { ...validInput(tenant), select: ['status', 'nope'] }
    const preview = await client.call('POST /preview', input)
    expect([preview.status, fieldsOf(preview.body)]).toEqual([200, ['select.1']])
    const { status } = await client.call(`PATCH /${made.id}`, { filter: { nope: 1 } })
    expect(status).toBe(400)
    const { body } = await client.call(`PATCH /${made.id}`, { select: ['status'] })
    expect(body).not.toHaveProperty('warnings')
  })
})

describe('a whsec_ secret', () => {
  beforeEach(() => table({ status: 'text' }))

  it.each(['whsec_', 'whsec_not base64!', 'whsec_A'])(
    '%s is taken with a warning',
    async (secret) => {
      const made = await create({ secret })
      expect(fieldsOf(made)).toEqual(['secret'])
      expect(await shown(made.id)).toEqual(made)
      const { body } = await client.call(`PATCH /${made.id}`, { secret: 'whsec_QUJD' })
      expect(body).not.toHaveProperty('warnings')
      const worse = await client.call(`PATCH /${made.id}`, { secret, secretOverlap: 0 })
      expect(fieldsOf(worse.body)).toEqual(['secret'])
    },
  )

  it('of base64, and any other secret, causes no warning', async () => {
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'plain']) {
      expect(await create({ secret })).not.toHaveProperty('warnings')
    }
  })
})
