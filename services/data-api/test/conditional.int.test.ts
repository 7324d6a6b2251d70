import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Answer, type Client, fieldsOf } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let client: Client
let created: Answer
let path: string

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
  await client.call('PUT _tables/orders', { columns: [{ name: 'n', type: 'integer' }] })
  created = await client.call('POST orders', { n: 0 })
  path = `orders/${created.body.id}`
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const etagOf = ({ headers }: Answer) => headers.get('etag') ?? ''
const get = (headers: Record<string, string> = {}) => client.call(`GET ${path}`, undefined, headers)
const patch = (n: number, headers: Record<string, string> = {}) =>
  client.call(`PATCH ${path}`, { n }, headers)
const refused = { status: 412, body: { error: 'PRECONDITION_FAILED' } }

test('a cache keeps the record for its caller only, who may see other columns than another', async () => {
  const kept = await get()
  const same = await get({ 'if-none-match': etagOf(kept) })
  for (const { headers } of [kept, same]) {
    expect(headers.get('vary')).toContain('Authorization, X-As-User')
  }
  expect(same.status).toBe(304)
})

describe('ETag', () => {
  test('differs after every change and stays the same without one', async () => {
    const seen = [etagOf(created)]
    for (const n of [1, 2, 1, 0]) seen.push(etagOf(await patch(n)))
    expect(new Set(seen).size).toBe(5)
    expect(seen.every((etag) => /^"[^"]+"$/.test(etag))).toBe(true)
    expect(etagOf(await patch(0))).toBe(seen.at(-1))
    await client.call('PUT _tables/orders', {
      columns: [{ name: 'n', type: 'integer' }],
      access: { read: ['x'] },
    })
    expect(etagOf(await get())).toBe(seen.at(-1))
  })

  test('differs when a new column changes the form of the record', async () => {
    await client.call('PUT _tables/orders', {
      columns: [
        { name: 'n', type: 'integer' },
        { name: 'm', type: 'integer', default: 1 },
      ],
    })
    expect(etagOf(await get())).not.toBe(etagOf(created))
    expect(await patch(5, { 'if-match': etagOf(created) })).toMatchObject(refused)
    expect(await patch(5, { 'if-match': etagOf(await get()) })).toMatchObject({ status: 200 })
  })

  test('lists and arrays of records have none', async () => {
    expect((await client.call('GET orders')).headers.has('etag')).toBe(false)
    expect((await client.call('POST orders', [{ n: 1 }])).headers.has('etag')).toBe(false)
  })
})

describe('If-None-Match of a GET', () => {
  test("is 304 only for the client's own version", async () => {
    const etag = etagOf(created)
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get({ 'if-none-match': held })
      expect([answer.status, answer.text, etagOf(answer)]).toEqual([304, '', etag])
    }
    await patch(1)
    expect(await get({ 'if-none-match': etag })).toMatchObject({ status: 200, body: { n: 1 } })
  })
})

describe('If-Match', () => {
  test('allows only a change of the known state', async () => {
    const first = etagOf(created)
    const second = etagOf(await patch(1, { 'if-match': first }))
    expect(await patch(2, { 'if-match': first })).toMatchObject(refused)
    expect(await patch(1, { 'if-match': first })).toMatchObject(refused)
    expect((await get()).body).toMatchObject({ n: 1 })
    expect(await patch(2, { 'if-match': `"x", ${second}` })).toMatchObject({ status: 200 })
    expect(await patch(3, { 'if-match': '*' })).toMatchObject({ status: 200 })
    expect(await patch(4, { 'if-match': `W/${etagOf(await get())}` })).toMatchObject(refused)
    const changes = await world.changes.until(tenant.projectId, 4)
    expect(changes.map(({ data }) => data['n'])).toEqual([0, 1, 2, 3])
  })

  test('of a DELETE', async () => {
    await patch(1)
    const remove = (etag: string) => client.call(`DELETE ${path}`, undefined, { 'if-match': etag })
    expect(await remove(etagOf(created))).toMatchObject(refused)
    const current = etagOf(await get())
    expect(await remove(current)).toMatchObject({ status: 200, body: { n: 1 } })
    expect(await remove(current)).toMatchObject({
      status: 404,
      body: { error: 'RECORD_NOT_FOUND' },
    })
    const changes = await world.changes.until(tenant.projectId, 3)
    expect(changes.map(({ operation }) => operation)).toEqual(['INSERT', 'UPDATE', 'DELETE'])
  })

  test('of a GET', async () => {
    expect(await get({ 'if-match': etagOf(created) })).toMatchObject({ status: 200 })
    expect(await get({ 'if-match': '"x"' })).toMatchObject(refused)
  })

  test('one of many from the same state succeeds', async () => {
    const etag = etagOf(created)
    const numbers = Array.from({ length: 8 }, (_, n) => n + 1)
    const answers = await Promise.all(numbers.map((n) => patch(n, { 'if-match': etag })))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
    const won = answers.find(({ status }) => status === 200)
    expect((await get()).body).toEqual(won?.body)
  })

  test('is checked after all other faults', async () => {
    const stale = { 'if-match': '"x"' }
    expect(await client.call(`PATCH ${path}`, { n: 'x' }, stale)).toMatchObject({ status: 400 })
    const missing = await client.call(`PATCH orders/${randomUUID()}`, { n: 1 }, stale)
    expect(missing).toMatchObject({ status: 404 })
    const malformed = await patch(1, { 'if-match': 'x' })
    expect([malformed.status, fieldsOf(malformed)]).toEqual([400, ['If-Match']])
  })
})

test('If-None-Match of a change: 412 for an excluded state', async () => {
  expect(await patch(1, { 'if-none-match': '*' })).toMatchObject(refused)
  expect(await patch(1, { 'if-none-match': etagOf(created) })).toMatchObject(refused)
  expect(await patch(1, { 'if-none-match': '"x"' })).toMatchObject({ status: 200 })
})
