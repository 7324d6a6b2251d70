import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { admin, expectStatus, fieldsOf, send } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { propertyRuns } from '@surehook/testing/property-runs'
import fc from 'fast-check'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'

let world: SharedWorld
let tenant: Tenant
let webhookId: string
let recordId: string

beforeAll(async () => {
  world = await openSharedWorld()
  tenant = await world.tenant()
  const columns = [
    { name: 'title', type: 'text', required: true },
    { name: 'code', type: 'text', unique: true },
    { name: 'n', type: 'integer' },
    { name: 'big', type: 'bigint' },
    { name: 'price', type: 'decimal' },
    { name: 'flag', type: 'boolean' },
    { name: 'at', type: 'timestamp' },
    { name: 'day', type: 'date' },
    { name: 'ref', type: 'uuid' },
  ]
  expectStatus(200, await tenant.rest('PUT _tables/orders', { columns }))
  webhookId = (await tenant.subscribe('https://receiver.example/')).id
  recordId = (await tenant.insert({ title: 'one', code: 'taken' })).id
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const long = (length: number) => 'x'.repeat(length)

describe('a subscription: each invalid field is named', () => {
  const faults: [field: string, fault: object][] = [
    ['projectId', { projectId: 1 }],
    ['projectId', { projectId: 'another' }],
    ['environment', { environment: 'a b' }],
    ['table', { table: 'Orders' }],
    ['table', { table: '_tables' }],
    ['table', { table: `a${long(63)}` }],
    ['events', { events: [] }],
    ['events', { events: 'INSERT' }],
    ['events', { events: ['INSERT', 'INSERT'] }],
    ['events.1', { events: ['INSERT', 'UPSERT'] }],
    ['url', { url: 'http://receiver.example/' }],
    ['url', { url: 'receiver.example' }],
    ['url', { url: 'https://user:pass@receiver.example/' }],
    ['url', { url: `https://receiver.example/${long(2048)}` }],
    ['secret', { secret: '' }],
    ['secret', { secret: long(257) }],
    ['active', { active: 'yes' }],
    ['filter', { filter: 'status = 1' }],
    ['filter.status.like', { filter: { status: { like: 'x' } } }],
    ['filter.or.1.n.gt', { filter: { or: [{ n: 1 }, { n: { gt: true } }] } }],
    ['select', { select: [] }],
    ['select.1', { select: ['a', 'b\u0000'] }],
    ['surprise', { surprise: true }],
  ]

  it.each(faults)('%s in %j', async (field, fault) => {
    const input = { ...tenant.subscriptionInput('https://receiver.example/'), ...fault }
    for (const answer of [
      await tenant.webhooks('POST', input),
      await tenant.webhooks(`PATCH /${webhookId}`, fault),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
      expect(fieldsOf(answer)).toEqual([field])
    }
  })

  it('all of them at once', async () => {
    const answer = await tenant.webhooks('POST', { events: ['X'], url: 'x', filter: 1 })
    expect(fieldsOf(answer).toSorted()).toEqual([
      'environment',
      'events.0',
      'filter',
      'projectId',
      'secret',
      'table',
      'url',
    ])
  })

  it.each([
    ['limit', '?limit=0'],
    ['cursor', '?cursor=abc'],
    ['active', '?active=1'],
    ['table', '?table=Orders'],
    ['offset', '?offset=1'],
  ])('%s in the query %s', async (field, query) => {
    const answer = await tenant.webhooks(`GET ${query}`)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]])
  })
})

describe('a record: each invalid field is named', () => {
  it.each([
    ['title', { title: null }],
    ['title', { title: 5 }],
    ['title', { title: 'a\u0000b' }],
    ['n', { n: 1.5 }],
    ['n', { n: 2 ** 31 }],
    ['big', { big: 'x' }],
    ['big', { big: '9223372036854775808' }],
    ['price', { price: 'much' }],
    ['flag', { flag: 'true' }],
    ['at', { at: 'yesterday' }],
    ['day', { day: '2026-02-30' }],
    ['ref', { ref: '1' }],
    ['id', { id: 'x' }],
    ['nope', { nope: 1 }],
    ['__proto__', JSON.parse('{"__proto__":1}')],
  ])('%s in %j', async (field, fault: object) => {
    for (const answer of [
      await tenant.rest('POST orders', { title: 'two', ...fault }),
      await tenant.rest(`PATCH orders/${recordId}`, fault),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
      expect(fieldsOf(answer)).toEqual([field])
    }
  })

  it('in a list, with its place; nothing of the list is made', async () => {
    const before = await tenant.rest('GET orders')
    const answer = await tenant.rest('POST orders', [{ title: 'a' }, {}, { title: 'b', n: 'x' }])
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['1.title', '2.n']])
    expect((await tenant.rest('GET orders')).body).toEqual(before.body)
  })

  it('with a taken unique value is 409', async () => {
    const answer = await tenant.rest('POST orders', { title: 'two', code: 'taken' })
    expect([answer.status, answer.body.error]).toEqual([409, 'CONFLICT'])
  })

  it('too large is 413', async () => {
    const answer = await tenant.rest('POST orders', { title: long(300 * 1024) })
    expect([answer.status, answer.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it.each([
    ['where', '?where=%7B'],
    ['where.nope', `?where=${encodeURIComponent('{"nope":1}')}`],
    ['order', '?order=nope'],
    ['limit', '?limit=-1'],
    ['cursor', '?cursor=%00'],
  ])('%s in the query %s', async (field, query) => {
    const answer = await tenant.rest(`GET orders${query}`)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]])
  })
})

describe('a table, an environment, a token: each invalid field is named', () => {
  it.each([
    ['columns', {}],
    ['columns.0.name', { columns: [{ name: 'id', type: 'text' }] }],
    ['columns.0.name', { columns: [{ name: 'A', type: 'text' }] }],
    ['columns.0.type', { columns: [{ name: 'a', type: 'varchar' }] }],
    ['access.sell', { columns: [], access: { sell: [] } }],
  ])('table: %s in %j', async (field, input) => {
    const answer = await tenant.rest('PUT _tables/others', input)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]])
  })

  it.each([
    ['auth.enabled', 'PUT /p/environments/e', { auth: { enabled: 'yes' } }],
    ['auth.accessTokenTtl', 'PUT /p/environments/e', { auth: { accessTokenTtl: 0 } }],
    ['surprise', 'PUT /p/environments/e', { surprise: 1 }],
    ['environment', 'PUT /p/environments/a.b', {}],
    ['project', 'PUT /p%20p/environments/e', {}],
    ['name', 'POST /{project}/management-tokens', {}],
    ['expiresAt', 'POST /{project}/management-tokens', { name: 'x', expiresAt: 'soon' }],
    ['environments.0', 'POST /{project}/management-tokens', { name: 'x', environments: [''] }],
  ])('administration: %s in %s %j', async (field, request, input) => {
    const answer = await admin(world.system, request.replace('{project}', tenant.projectId), input)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]])
  })
})

describe('an invalid request', () => {
  const transports = () => [
    'POST _webhooks',
    `PATCH _webhooks/${webhookId}`,
    'POST orders',
    'PUT _tables/t',
  ]

  it.each([
    ['{', 400, 'VALIDATION_ERROR'],
    ['"x"', 400, 'VALIDATION_ERROR'],
    ['null', 400, 'VALIDATION_ERROR'],
    ['', 400, 'VALIDATION_ERROR'],
    ['\u0000', 400, 'VALIDATION_ERROR'],
    [`{"a":"${long(1024 * 1024)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
  ])('body %.20j is %i %s', async (text, status, error) => {
    for (const request of transports()) {
      const answer = await tenant.rest(request, text)
      expect([request, answer.status, answer.body.error]).toEqual([request, status, error])
    }
  })

  it('a body that is not JSON is 415', async () => {
    for (const request of transports()) {
      const answer = await tenant.rest(request, 'a=1', { 'content-type': 'text/plain' })
      expect([answer.status, answer.body.error]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
  })

  it.each([
    ['PUT /gw/api/rest/_webhooks', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE /gw/api/rest/_tables', 405, 'METHOD_NOT_ALLOWED'],
    ['GET /gw/api/rest/_webhooks/a/b/c', 404, 'NOT_FOUND'],
    ['GET /gw/api/nothing', 404, 'NOT_FOUND'],
    ['GET /nothing', 404, 'NOT_FOUND'],
    ['GET /metrics', 404, 'NOT_FOUND'],
    ['GET /gw/api/rest/nowhere', 404, 'TABLE_NOT_FOUND'],
    ['GET /gw/api/rest/_webhooks/not-an-id', 404, 'WEBHOOK_NOT_FOUND'],
    ['GET /gw/api/rest/orders/not-an-id', 404, 'RECORD_NOT_FOUND'],
  ])('%s is %i %s', async (request, status, error) => {
    const answer = await send(world.system.baseUrl, request, { headers: tenant.headers })
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.headers.get('x-request-id')).toBeTruthy()
  })

  it.each(['/gw/api/rest/%00', '/gw//api', '/gw/api/rest/%2e%2e/x', '/gw/api/rest/%ff', '/a%2fb'])(
    'path %s is a 4xx',
    async (path) => {
      expect(await statusOf(path)).toBeGreaterThanOrEqual(400)
      expect(await statusOf(path)).toBeLessThan(500)
    },
  )
})

/** Sends the path unchanged: `fetch` would normalise it. */
function statusOf(path: string): Promise<number> {
  const { hostname, port } = new URL(world.system.baseUrl)
  return new Promise((resolve, reject) => {
    const headers = tenant.headers as Record<string, string>
    httpRequest({ hostname, port, path, headers }, (res) => {
      res.resume()
      resolve(res.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

it('answers no body with a 5xx', async () => {
  const valid = tenant.subscriptionInput('https://receiver.example/')
  const field = fc.constantFrom(...Object.keys(valid), 'filter', 'select', 'active', 'title', 'n')
  const input = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(field, fc.jsonValue(), { maxKeys: 4 }),
    fc.tuple(field, fc.jsonValue()).map(([name, value]) => ({ ...valid, [name]: value })),
  )
  const transport = fc.constantFrom('POST _webhooks', `PATCH _webhooks/${webhookId}`, 'POST orders')
  await fc.assert(
    fc.asyncProperty(transport, input, async (request, body) => {
      const { status, text } = await tenant.rest(request, JSON.stringify(body))
      if (status >= 500) throw new Error(`${status}: ${text}`)
    }),
    { numRuns: propertyRuns(150) },
  )
})
