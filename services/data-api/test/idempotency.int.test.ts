import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Client, fieldsOf, type Records } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let client: Client

const columns = [
  { name: 'n', type: 'integer' },
  { name: 'code', type: 'text', unique: true },
]

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})
beforeEach(async () => {
  tenant = await world.tenant()
  await world.setUp(tenant, { auth: { enabled: true } })
  client = clientOf(running.api, tenant)
  await client.call('PUT _tables/orders', {
    columns,
    access: { create: ['writer'], read: ['reader'] },
  })
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const keyOf = (key = randomUUID()) => ({ 'idempotency-key': key })
const countOf = async () => (await client.call<Records>('GET orders')).body.records.length

describe('a write with an Idempotency-Key', () => {
  test('is done once and answered alike each time', async () => {
    const key = keyOf()
    const first = await client.call('POST orders', { n: 1, code: 'a' }, key)
    const again = await client.call('POST orders', { code: 'a', n: 1 }, key)
    expect(first.status).toBe(201)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await countOf()).toBe(1)
  })

  test('is answered with the record as it is stored, in every type', async () => {
    const values = {
      text: 'x',
      integer: 1,
      bigint: '9007199254740993',
      double: 0.1,
      decimal: '1.50',
      boolean: true,
      timestamp: '2026-01-01T01:00:00.1239+01:00',
      date: '2026-01-01',
      uuid: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
      json: { b: [1.0], a: null },
    }
    const types = Object.keys(values)
    await client.call('PUT _tables/typed', {
      columns: types.map((type) => ({ name: `of_${type}`, type })),
    })
    const fields = Object.entries(values).map(([type, value]) => [`of_${type}`, value])
    const made = await client.call('POST typed', Object.fromEntries(fields), keyOf())
    expect(made.status).toBe(201)
    const read = await client.call(`GET typed/${made.body.id}`)
    expect([read.text, read.headers.get('etag')]).toEqual([made.text, made.headers.get('etag')])
  })

  test('in a table whose columns have names of its statement', async () => {
    const names = ['key', 'scope', 'at', 'place', 'record', 'known', 'answer', 'fingerprint']
    await client.call('PUT _tables/named', {
      columns: names.map((name) => ({ name, type: 'text' })),
    })
    const values = Object.fromEntries(names.map((name) => [name, `of ${name}`]))
    const made = await client.call('POST named', values, keyOf())
    expect([made.status, made.body]).toMatchObject([201, values])
  })

  test('also for changes and deletions', async () => {
    const { id } = (await client.call('POST orders', { n: 1 })).body
    const [change, removal] = [keyOf(), keyOf()]
    const changed = await client.call(`PATCH orders/${id}`, { n: 2 }, change)
    await client.call(`PATCH orders/${id}`, { n: 3 })
    const again = await client.call(`PATCH orders/${id}`, { n: 2 }, change)
    expect(again.text).toBe(changed.text)
    expect((await client.call(`GET orders/${id}`)).body).toMatchObject({ n: 3 })
    const gone = await client.call(`DELETE orders/${id}`, undefined, removal)
    expect(await client.call(`DELETE orders/${id}`, undefined, removal)).toMatchObject({
      status: 200,
      text: gone.text,
    })
    const changes = await world.changes.until(tenant.projectId, 4)
    expect(changes.map(({ operation }) => operation)).toEqual([
      'INSERT',
      'UPDATE',
      'UPDATE',
      'DELETE',
    ])
  })

  test('of several records', async () => {
    const key = keyOf()
    const [first, again] = [
      await client.call('POST orders', [{ n: 1 }, { n: 2 }], key),
      await client.call('POST orders', [{ n: 1 }, { n: 2 }], key),
    ]
    expect(again.text).toBe(first.text)
    expect(first.list.map(({ n }) => n)).toEqual([1, 2])
    expect(await countOf()).toBe(2)
  })

  test('makes one record, however many come at once, and on whichever replica', async () => {
    await using other = await world.startService()
    const clients = [client, clientOf(other.api, tenant)]
    const key = keyOf()
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        clients[i % 2]?.call('POST orders', { n: 1, code: 'x' }, key),
      ),
    )
    expect(new Set(all.map((answer) => `${answer?.status} ${answer?.text}`)).size).toBe(1)
    expect(all[0]?.status).toBe(201)
    expect(await countOf()).toBe(1)
    await client.call('POST orders', { n: 2 })
    const changes = await world.changes.until(tenant.projectId, 2)
    expect(changes.map(({ data }) => data['n'])).toEqual([1, 2])
  })

  test('is refused for another request', async () => {
    const key = keyOf()
    const { id } = (await client.call('POST orders', { n: 1 }, key)).body
    for (const [request, body] of [
      ['POST orders', { n: 2 }],
      ['POST orders', [{ n: 1 }]],
      [`PATCH orders/${id}`, { n: 1 }],
      [`DELETE orders/${id}`, undefined],
    ] as const) {
      const answer = await client.call(request, body, key)
      expect([answer.status, answer.body.error, fieldsOf(answer)]).toEqual([
        409,
        'CONFLICT',
        ['Idempotency-Key'],
      ])
    }
  })

  test('that fails leaves its key free', async () => {
    const key = keyOf()
    const { id } = (await client.call('POST orders', { code: 'taken' })).body
    expect((await client.call('POST orders', { code: 'taken' }, key)).status).toBe(409)
    expect((await client.call('POST orders', { code: 1 }, key)).status).toBe(400)
    expect((await client.call(`DELETE orders/${randomUUID()}`, undefined, key)).status).toBe(404)
    expect(
      (await client.call(`PATCH orders/${id}`, { n: 1 }, { ...key, 'if-match': '"x"' })).status,
    ).toBe(412)
    expect((await client.call('POST orders', { code: 'free' }, key)).status).toBe(201)
  })

  test('belongs to one tenant and one caller', async () => {
    const key = keyOf()
    const otherToken = await world.token(tenant.projectId)
    const other = clientOf(running.api, { ...tenant, token: otherToken })
    await client.call('POST orders', { n: 1 }, key)
    expect((await other.call('POST orders', { n: 2 }, key)).status).toBe(201)
    const stranger = clientOf(running.api, await world.tenant())
    await stranger.call('PUT _tables/orders', { columns })
    expect((await stranger.call('POST orders', { n: 3 }, key)).body).toMatchObject({ n: 3 })
    const userOf = async () =>
      clientOf(running.api, {
        ...tenant,
        token: await world.issuer.token(tenant, { roles: ['writer'] }),
      })
    for (const n of [4, 5]) {
      const { status, body } = await (await userOf()).call('POST orders', { n }, key)
      expect([status, Object.keys(body)]).toEqual([201, ['id', 'createdAt', 'updatedAt']])
    }
    expect(await countOf()).toBe(4)
  })

  test.each(['', 'ä', 'x'.repeat(256), ' '])(
    'is refused with a key that is none: %j',
    async (key) => {
      const response = await client.call('POST orders', { n: 1 }, { 'idempotency-key': key })
      expect([response.status, fieldsOf(response)]).toEqual([400, ['Idempotency-Key']])
    },
  )

  test('over GraphQL: each mutation by itself', async () => {
    const ask = graphqlClientOf(running.api, tenant)
    const key = keyOf()
    const query = `mutation ($n: Int) { a: createOrder(input: { n: $n }) { id } b: createOrders(input: [{ n: 1 }]) { id } }`
    const first = await ask(query, { n: 1 }, key)
    expect(first.errors).toEqual([])
    expect((await ask(query, { n: 1 }, key)).data).toEqual(first.data)
    const other = await ask(query, { n: 2 }, key)
    expect(other.codes).toEqual(['CONFLICT'])
    expect(other.data).toEqual({ ...first.data, a: null })
    expect(await countOf()).toBe(2)
  })
})
