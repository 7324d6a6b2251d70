import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type Client,
  expectStatus,
  fieldsOf,
  type RequestHeaders,
} from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const change = (recordId: string, more: object = {}) => ({
  table: 'invoices',
  event: 'INSERT',
  recordId,
  record: { id: recordId },
  ...more,
})
const publish = (body: unknown, headers: RequestHeaders = {}) =>
  client.call('POST _changes', body, headers)
const idsOf = ({ body }: { body: object }) => (body as { ids: string[] }).ids
const published = (count: number) => world.changes.until(tenant.projectId, count)

describe('a published change', () => {
  test('is an event with what its service said', async () => {
    const own = {
      event: 'UPDATE',
      changedFields: ['a'],
      id: randomUUID(),
      timestamp: '2026-01-02T03:04:05.678Z',
      record: { a: '"\n\u0000', b: { c: [1, null] } },
    }
    const answer = await publish(change('4/2', own), { 'x-request-id': 'r-1' })
    expect([answer.status, idsOf(answer)]).toEqual([202, [own.id]])
    expect(await published(1)).toMatchObject([
      {
        id: own.id,
        timestamp: own.timestamp,
        projectId: tenant.projectId,
        environment: 'master',
        table: 'invoices',
        recordId: '4/2',
        operation: 'UPDATE',
        record: JSON.stringify(own.record),
        changedFields: ['a'],
        source: 'http',
        requestId: 'r-1',
      },
    ])
  })

  test('gets an id and the time of the database', async () => {
    const before = Date.now()
    const [id] = idsOf(await publish(change('1')))
    const [event] = await published(1)
    expect(event?.id).toBe(id)
    expect(event?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(event?.timestamp ?? '') - before)).toBeLessThan(60_000)
  })

  test('is in the order of its list and of the requests for its record', async () => {
    const list = (from: number) =>
      Array.from({ length: 500 }, (_, n) =>
        change('1', { id: randomUUID(), record: { n: from + n } }),
      )
    const first = await publish(list(0))
    const second = await publish(list(500))
    const changes = await published(1_000)
    expect(changes.map(({ id }) => id)).toEqual([...idsOf(first), ...idsOf(second)])
    expect(changes.map(({ data }) => data['n'])).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
  })

  test('is in order also when each is a request of its own beside others', async () => {
    const records = Array.from({ length: 12 }, (_, n) => `r${n}`)
    await Promise.all(
      records.map(async (recordId) => {
        for (let n = 0; n < 10; n++) {
          expectStatus(202, await publish(change(recordId, { record: { n } })))
        }
      }),
    )
    const changes = await published(120)
    for (const recordId of records) {
      const own = changes.filter((one) => one.recordId === recordId)
      expect(own.map(({ data }) => data['n'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    }
  })
})

describe('a CloudEvent', () => {
  const attributes = {
    specversion: '1.0',
    id: 'A-1',
    source: '/billing',
    type: 'com.example.invoice.delete',
    subject: 'invoices/42',
    time: '2026-01-02T05:04:05+02:00',
  }
  const expected = {
    table: 'invoices',
    recordId: '42',
    operation: 'DELETE',
    timestamp: '2026-01-02T03:04:05.000Z',
    record: '{"a":1}',
  }
  const event = { ...attributes, data: { a: 1 } }

  test('is published in each mode, once', async () => {
    const binary = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]),
    )
    const type = (name: string) => ({ 'content-type': `application/${name}; charset=utf-8` })
    const answers = [
      await publish(event, type('cloudevents+json')),
      await publish([event, { ...event, id: 'A-2' }], type('cloudevents-batch+json')),
      await publish({ a: 1 }, binary),
    ]
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    const [[one], [again, two], [binaryOne]] = answers.map(idsOf) as [string[], string[], string[]]
    expect([again, binaryOne]).toEqual([one, one])
    expect(await published(2)).toMatchObject([
      { ...expected, id: one },
      { ...expected, id: two },
    ])
  })

  test('is refused by its attribute', async () => {
    const headers = { 'content-type': 'application/cloudevents-batch+json' }
    const answer = await publish([event, { ...event, subject: 'invoices' }], headers)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['1.subject']])
    await publish([event], headers)
    const other = await publish(
      [
        { ...event, id: 'B' },
        { ...event, data: { a: 2 } },
      ],
      headers,
    )
    expect([other.status, other.body.error, fieldsOf(other)]).toEqual([409, 'CONFLICT', ['1.id']])
    await client.call('PUT _tables/invoices', { columns: [] })
    const owned = await publish([{ ...event, id: 'C' }], headers)
    expect([owned.status, fieldsOf(owned)]).toEqual([409, ['0.subject']])
    expect(await published(1)).toHaveLength(1)
  })
})

describe('is refused', () => {
  test('a table of the data API, until it is dropped; repetitions are not', async () => {
    const known = change('1', { id: randomUUID() })
    await publish(known)
    await client.call('PUT _tables/invoices', { columns: [] })
    const one = await publish(change('2'))
    expect([one.status, one.body.error, fieldsOf(one)]).toEqual([409, 'CONFLICT', ['table']])
    const many = await publish([change('3', { table: 'others' }), change('4')])
    expect([many.status, fieldsOf(many)]).toEqual([409, ['1.table']])
    expect((await publish(known)).status).toBe(202)
    const stranger = clientOf(running.api, await world.tenant())
    expect((await stranger.call('POST _changes', change('1'))).status).toBe(202)
    await client.call('DELETE _tables/invoices')
    expect((await publish(change('5'))).status).toBe(202)
    expect((await published(2)).map(({ recordId }) => recordId).toSorted()).toEqual(['1', '5'])
  })

  test('beside others that share its statement', async () => {
    await client.call('PUT _tables/owned', { columns: [] })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        publish(change(`${n}`, n % 10 === 5 ? { table: 'owned' } : {})),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toEqual(statuses.map((_, n) => (n % 10 === 5 ? 409 : 202)))
    expect(await published(27)).toHaveLength(27)
  })

  test('what breaks a rule, with its place', async () => {
    const large = { record: { a: 'x'.repeat(262_144) } }
    const cases: [body: unknown, status: number, fields: string[], headers?: RequestHeaders][] = [
      [change('1', { table: 'users' }), 400, ['table']],
      [change('1', { table: '_webhooks' }), 400, ['table']],
      [[change('1'), change('2', { event: 'UPSERT' })], 400, ['1.event']],
      [[], 400, ['body']],
      [undefined, 400, ['body']],
      ['{', 400, ['body']],
      [change('1', large), 413, ['record']],
      [[change('1'), change('2', large)], 413, ['1.record']],
      [change('1', { record: { a: 'x'.repeat(1_048_576) } }), 413, []],
      [change('1'), 415, [], { 'content-type': 'text/plain' }],
      [change('1'), 415, [], { 'content-type': 'application/cloudevents+avro' }],
      [change('1'), 400, ['environment'], { environment: 'a/b' }],
    ]
    for (const [body, status, fields, headers] of cases) {
      const answer = await publish(body, { 'content-type': 'application/json', ...headers })
      expect([answer.status, fieldsOf(answer)]).toEqual([status, fields])
    }
    await publish(change('9'))
    expect((await published(1)).map(({ recordId }) => recordId)).toEqual(['9'])
  })

  test('who has no management token of an environment that is there', async () => {
    const user = await world.issuer.token(tenant, { roles: [] })
    await world.setUp(tenant, { auth: { enabled: true } })
    const as = (of: Partial<Tenant>) =>
      clientOf(running.api, { ...tenant, ...of }).call('POST _changes', change('1'))
    const stranger = await world.tenant()
    expect(
      await Promise.all([
        as({ token: 'mt_x' }),
        as({ token: stranger.token }),
        as({ token: user }),
        as({ environment: 'none' }),
      ]).then((all) => all.map(({ status, body }) => [status, body.error])),
    ).toEqual([
      [401, 'MANAGEMENT_TOKEN_INVALID'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [404, 'ENVIRONMENT_NOT_FOUND'],
    ])
  })

  test('any other method', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await client.call(`${method} _changes`)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })
})
