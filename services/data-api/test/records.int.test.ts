import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client, fieldsOf, type Records } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let running: Running
let client: Client

const columns = [
  { name: 'name', type: 'text', required: true },
  { name: 'code', type: 'text', unique: true },
  { name: 'size', type: 'integer', default: 5 },
  { name: 'big', type: 'bigint' },
  { name: 'ratio', type: 'double' },
  { name: 'price', type: 'decimal' },
  { name: 'paid', type: 'boolean' },
  { name: 'due', type: 'timestamp' },
  { name: 'day', type: 'date' },
  { name: 'owner', type: 'uuid' },
  { name: 'data', type: 'json' },
]

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  client = clientOf(running.api, await world.tenant())
  await client.call('PUT _tables/orders', { columns })
})

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const empty = Object.fromEntries(columns.map(({ name }) => [name, null]))
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const uuidV7 = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
const missingId = '01900000-0000-7000-8000-000000000000'

describe('a record', () => {
  test('is created, read, changed and deleted; each answer is the whole record', async () => {
    const created = await client.call('POST orders', {
      name: 'Grüße "🎉"\n',
      big: '9007199254740993',
      ratio: 1e21,
      price: '10.00',
      paid: false,
      due: '2026-02-03T04:05:06.7+02:00',
      day: '2024-02-29',
      owner: 'AAAAAAAA-0000-4000-8000-000000000000',
      data: { list: [1, null, { deep: '\\u0000' }] },
    })
    expect(created.status).toBe(201)
    expect(created.headers.get('content-type')).toContain('application/json')
    expect(created.body).toEqual({
      ...empty,
      id: uuidV7,
      name: 'Grüße "🎉"\n',
      size: 5,
      big: '9007199254740993',
      ratio: 1e21,
      price: '10.00',
      paid: false,
      due: '2026-02-03T02:05:06.700Z',
      day: '2024-02-29',
      owner: 'aaaaaaaa-0000-4000-8000-000000000000',
      data: { list: [1, null, { deep: '\\u0000' }] },
      createdAt: aTime,
      updatedAt: created.body.createdAt,
    })
    const path = `orders/${created.body.id}`
    expect(await client.call(`GET ${path}`)).toMatchObject({ status: 200, body: created.body })

    const changed = await client.call(`PATCH ${path}`, { size: null, price: 1.5 })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...created.body,
      size: null,
      price: '1.5',
      updatedAt: aTime,
    })
    expect(changed.body.updatedAt > created.body.updatedAt).toBe(true)

    expect(await client.call(`DELETE ${path}`)).toMatchObject({ status: 200, body: changed.body })
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const { status, body } = await client.call(
        `${method} ${path}`,
        method === 'PATCH' ? {} : undefined,
      )
      expect([status, body.error]).toEqual([404, 'RECORD_NOT_FOUND'])
    }
  })

  test('a PATCH that changes nothing leaves the record as it is', async () => {
    const { body } = await client.call('POST orders', { name: 'a', price: '1.0', data: { b: 1 } })
    const path = `PATCH orders/${body.id}`
    for (const change of [{}, { name: 'a' }, { name: 'a', data: { b: 1 }, price: '1.0' }]) {
      expect(await client.call(path, change)).toMatchObject({ status: 200, body })
    }
  })

  test.each([missingId, 'x', '1', 'a%00', `${missingId}'--`])(
    'GET with the id %s: 404',
    async (id) => {
      const { status, body } = await client.call(`GET orders/${id}`)
      expect([status, body.error]).toEqual([404, 'RECORD_NOT_FOUND'])
    },
  )

  test.each(['GET nope', 'POST nope', `GET nope/${missingId}`, `DELETE users/x`, 'GET _nope'])(
    '%s: 404 TABLE_NOT_FOUND',
    async (request) => {
      const { status, body } = await client.call(
        request,
        request.startsWith('POST') ? {} : undefined,
      )
      expect([status, body.error]).toEqual([404, 'TABLE_NOT_FOUND'])
    },
  )
})

describe('validation', () => {
  const faulty = {
    code: 1,
    size: 2 ** 31,
    big: 2 ** 53,
    ratio: '1',
    price: 'x',
    paid: 'yes',
    due: '2026-02-03',
    day: '2026-02-30',
    owner: 'me',
    data: 'a\0b',
    nope: 1,
    id: missingId,
    createdAt: '2026-02-03T00:00:00Z',
  }

  test('names every fault of a new record', async () => {
    const answer = await client.call('POST orders', faulty)
    expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(fieldsOf(answer).toSorted()).toEqual([...Object.keys(faulty), 'name'].toSorted())
  })

  test('names every fault of a change, and changes nothing', async () => {
    const { body } = await client.call('POST orders', { name: 'a' })
    const answer = await client.call(`PATCH orders/${body.id}`, { ...faulty, name: null })
    expect(answer.status).toBe(400)
    expect(fieldsOf(answer).toSorted()).toEqual([...Object.keys(faulty), 'name'].toSorted())
    expect((await client.call(`GET orders/${body.id}`)).body).toEqual(body)
  })

  test.each([
    ['null', 'null', ['body']],
    ['a text', '"x"', ['body']],
    ['no JSON', '{', ['body']],
    ['no records', '[]', ['body']],
    ['too many records', `[${Array(1001).fill('{"name":"a"}').join()}]`, ['body']],
    ['records that are none', '[{"name":"a"},1,null,[]]', ['1', '2', '3']],
    ['a field that is never returned', '{"name":"a","__proto__":{"x":1}}', ['__proto__']],
    ['the same, escaped', '{"name":"a","__pr\\u006fto__":{"x":1}}', ['__proto__']],
    ['faults in several records', '[{"name":"a"},{"name":1},{}]', ['1.name', '2.name']],
    ['NUL', '{"name":"a\\u0000"}', ['name']],
    ['half a character', '{"name":"\\ud800","data":["\\udc00"]}', ['name', 'data.0']],
    ['a number too large', '{"name":"a","ratio":1e999,"data":1e999}', ['ratio', 'data']],
    ['a number that changes', '{"name":"a","data":{"ids":[9007199254740993]}}', ['data.ids.0']],
    ['deep JSON', `{"name":"a","data":${'['.repeat(9999)}${']'.repeat(9999)}}`, ['body']],
  ])('%s: 400', async (_, body, fields) => {
    const answer = await client.call('POST orders', body)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields])
  })

  test('a body that is not JSON is 415, one over 1 MiB 413', async () => {
    const text = await client.call('POST orders', 'name=a', { 'content-type': 'text/plain' })
    expect([text.status, text.body.error]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    const large = await client.call('POST orders', { name: 'a'.repeat(1024 * 1024) })
    expect([large.status, large.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('a record has at most 256 KiB, also when a PATCH makes it larger', async () => {
    const half = 'x'.repeat(140 * 1024)
    const { status, body } = await client.call('POST orders', { name: half })
    expect(status).toBe(201)
    const changed = await client.call(`PATCH orders/${body.id}`, { data: half })
    expect([changed.status, changed.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect((await client.call(`GET orders/${body.id}`)).body).toEqual(body)
    const created = await client.call('POST orders', { name: half, data: half })
    expect([created.status, created.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('a number counts with the length of its JSON', async () => {
    const data = Array(2_000).fill(1e-300)
    expect((await client.call('POST orders', { name: 'a', data })).status).toBe(413)
  })
})

describe('a unique field', () => {
  test('that is taken is a conflict naming it', async () => {
    await client.call('POST orders', { name: 'a', code: 'taken' })
    const answer = await client.call('POST orders', { name: 'b', code: 'taken' })
    expect([answer.status, answer.body.error, fieldsOf(answer)]).toEqual([
      409,
      'CONFLICT',
      ['code'],
    ])
    const { body } = await client.call('POST orders', { name: 'b', code: 'free' })
    const changed = await client.call(`PATCH orders/${body.id}`, { code: 'taken' })
    expect([changed.status, fieldsOf(changed)]).toEqual([409, ['code']])
  })

  test('may be empty in many records', async () => {
    const records = [{ name: 'a' }, { name: 'b', code: null }]
    expect((await client.call('POST orders', records)).status).toBe(201)
  })

  test('of many simultaneous inserts exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.call('POST orders', { name: `${n}`, code: 'one' }),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([201, ...Array(19).fill(409)])
  })

  test('that is too long for an index is a 400', async () => {
    const code = Array.from({ length: 2_001 }, (_, n) =>
      String.fromCharCode(33 + ((n * 7919) % 90)),
    )
    const answer = await client.call('POST orders', { name: 'a', code: code.join('') })
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['code']])
    const fits = await client.call('POST orders', { name: 'a', code: code.slice(1).join('') })
    expect(fits.status).toBe(201)
  })
})

describe('an array', () => {
  test('makes the records in its order', async () => {
    const names = Array.from({ length: 1_000 }, (_, n) => `${n}`)
    const { status, list } = await client.call(
      'POST orders',
      names.map((name) => ({ name })),
    )
    expect(status).toBe(201)
    expect(list.map(({ name }) => name)).toEqual(names)
    expect(list.map(({ id }) => id)).toEqual(list.map(({ id }) => id).toSorted())
  })

  test('makes all of them or none, naming the ones that conflict', async () => {
    const own = clientOf(running.api, await world.tenant())
    await own.call('PUT _tables/orders', { columns })
    await own.call('POST orders', { name: 'a', code: '2' })
    const records = ['1', '2', '3', '1'].map((code) => ({ name: 'b', code }))
    const answer = await own.call('POST orders', records)
    expect([answer.status, fieldsOf(answer)]).toEqual([409, ['1.code', '3.code']])
    expect((await own.call<Records>('GET orders')).body.records.map(({ code }) => code)).toEqual([
      '2',
    ])
  })
})
