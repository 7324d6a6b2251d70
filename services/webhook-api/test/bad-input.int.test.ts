import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: WebhooksClient
let id: string

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const long = (length: number) => 'x'.repeat(length)

/** [named field, invalid body], the same for POST and PATCH. */
const faults: [string, object][] = [
  ['projectId', { projectId: 1 }],
  ['projectId', { projectId: 'another-project' }],
  ['environment', { environment: '' }],
  ['environment', { environment: 'a b' }],
  ['environment', { environment: null }],
  ['table', { table: '' }],
  ['table', { table: 'Orders' }],
  ['table', { table: '_tables' }],
  ['table', { table: 'a-b' }],
  ['table', { table: `a${long(63)}` }],
  ['table', { table: 'a\u0000' }],
  ['table', { table: ['orders'] }],
  ['events', { events: [] }],
  ['events', { events: 'INSERT' }],
  ['events', { events: ['INSERT', 'INSERT'] }],
  ['events.0', { events: ['insert'] }],
  ['events.1', { events: ['INSERT', 'UPSERT'] }],
  ['url', { url: '' }],
  ['url', { url: 'receiver.example' }],
  ['url', { url: 'http://receiver.example/' }],
  ['url', { url: 'https://user:pass@receiver.example/' }],
  ['url', { url: 'https://receiver.example/#part' }],
  ['url', { url: `https://receiver.example/${long(2048)}` }],
  ['url', { url: 7 }],
  ['secret', { secret: '' }],
  ['secret', { secret: long(257) }],
  ['secret', { secret: 'a\u0000b' }],
  ['secret', { secret: null }],
  ['active', { active: 'yes' }],
  ['active', { active: null }],
  ['filter', { filter: 'status = 1' }],
  ['filter', { filter: ['status'] }],
  ['filter.status.like', { filter: { status: { like: 'x' } } }],
  ['select', { select: [] }],
  ['select', { select: ['a', 'a'] }],
  ['select', { select: 'a' }],
  ['select.0', { select: [''] }],
  ['select.1', { select: ['a', 'b\u0000'] }],
  ['select.0', { select: ['\ud800'] }],
  ['id', { id: '1' }],
  ['createdAt', { createdAt: '2026-01-01T00:00:00Z' }],
  ['surprise', { surprise: true }],
]

describe('a field that is wrong is named', () => {
  it.each(faults)('POST: %s in %j', async (field, fault) => {
    const { status, body } = await client.call('POST', { ...validInput(tenant), ...fault })
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations).toMatchObject([{ field, message: expect.any(String) }])
  })

  it.each([
    ...faults,
    ['secretOverlap', { secret: 'x', secretOverlap: -1 }] as [string, object],
    ['secretOverlap', { secret: 'x', secretOverlap: 1.5 }] as [string, object],
    ['secretOverlap', { secret: 'x', secretOverlap: '1' }] as [string, object],
    ['secretOverlap', { secretOverlap: 60 }] as [string, object],
  ])('PATCH: %s in %j', async (field, fault) => {
    const { status, body } = await client.call(`PATCH /${id}`, fault)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations).toMatchObject([{ field, message: expect.any(String) }])
  })

  it.each(['projectId', 'environment', 'table', 'events', 'url', 'secret'])(
    'POST without %s',
    async (field) => {
      const { status, body } = await client.call('POST', {
        ...validInput(tenant),
        [field]: undefined,
      })
      expect(status).toBe(400)
      expect(body.violations).toEqual([{ field, message: 'is required', rule: 'required' }])
    },
  )

  it('names every one of them at once', async () => {
    const { body } = await client.call('POST', { events: ['X'], url: 'x', filter: 1 })
    const fields = body.violations?.map(({ field }) => field).sort()
    expect(fields).toEqual([
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
    ['table', '?table=Orders'],
    ['active', '?active=1'],
    ['limit', '?limit=0'],
    ['limit', '?limit=1001'],
    ['limit', '?limit=ten'],
    ['cursor', '?cursor=abc'],
    ['cursor', '?cursor='],
    ['table', '?table=a&table=b'],
    ['offset', '?offset=1'],
  ])('GET: %s in %s', async (field, query) => {
    const { status, body } = await client.call(`GET ${query}`)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations?.map((violation) => violation.field)).toEqual([field])
  })
})

describe('an invalid body', () => {
  it.each([
    ['{', 400, 'VALIDATION_ERROR'],
    ['[]', 400, 'VALIDATION_ERROR'],
    ['null', 400, 'VALIDATION_ERROR'],
    ['"x"', 400, 'VALIDATION_ERROR'],
    [`{"secret":"${long(1024 * 1024)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
  ])('%.20s is %i %s', async (text, status, error) => {
    for (const [method, path] of [['POST', ''] as const, ['PATCH', `/${id}`] as const]) {
      const answer = await client.call(`${method} ${path}`, text)
      expect([answer.status, answer.body.error]).toEqual([status, error])
    }
  })

  it.each(['"__\\u0070roto__"', '"\\u005f_proto__"', '"__prot\\u006F__"'])(
    'names the prototype as %s in its filter',
    async (key) => {
      const whole = JSON.stringify({ ...validInput(tenant), filter: { field: 1 } })
      const text = whole.replace('"field"', key)
      for (const [method, path] of [['POST', ''] as const, ['PATCH', `/${id}`] as const]) {
        const { status, body } = await client.call(`${method} ${path}`, text)
        expect([status, body.violations]).toEqual([
          400,
          [
            {
              field: 'filter.__proto__',
              message: 'is not an accepted field name',
              rule: 'invalid_name',
            },
          ],
        ])
      }
    },
  )

  it('is 400 when it is missing, and 415 when it is not JSON', async () => {
    const missing = await client.call('POST')
    expect([missing.status, missing.body.error]).toEqual([400, 'VALIDATION_ERROR'])
    const text = await client.call('POST', 'x', { 'content-type': 'text/plain' })
    expect([text.status, text.body.error]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })
})

describe('who calls', () => {
  const error = async (headers: Record<string, string | undefined>, body?: object) => {
    const answer = await client.call(body ? 'POST' : 'GET', body, headers)
    return [answer.status, answer.body.error, answer.body.violations?.map(({ field }) => field)]
  }

  it('is 401 without a good token', async () => {
    const expired = await world.token(tenant.projectId, { expiresAt: '2026-01-01T00:00:00.000Z' })
    for (const authorization of [undefined, 'Bearer', 'Bearer nobody', `Bearer ${expired}`]) {
      expect(await error({ authorization })).toEqual([401, 'MANAGEMENT_TOKEN_INVALID', undefined])
    }
  })

  it('is 403 with the token of another project or environment', async () => {
    const other = await world.tenant()
    const forbidden = [403, 'FORBIDDEN', undefined]
    expect(await error({ authorization: `Bearer ${other.token}` })).toEqual(forbidden)
    const limited = await world.token(tenant.projectId, { environments: ['dev'] })
    expect(await error({ authorization: `Bearer ${limited}` })).toEqual(forbidden)
  })

  it('is 400 without the headers that every call needs', async () => {
    expect(await error({ 'x-project-id': undefined })).toEqual([
      400,
      'VALIDATION_ERROR',
      ['X-Project-Id'],
    ])
    expect(await error({ environment: undefined })).toEqual([
      400,
      'VALIDATION_ERROR',
      ['environment'],
    ])
  })

  it('is 404 in an environment that does not exist', async () => {
    const missing = { ...validInput(tenant), environment: 'nowhere' }
    const notFound = [404, 'ENVIRONMENT_NOT_FOUND', undefined]
    expect(await error({ environment: 'nowhere' })).toEqual(notFound)
    expect(await error({ environment: 'nowhere' }, missing)).toEqual(notFound)
  })

  it('is reported when body and header name different environments', async () => {
    const mismatch = [400, 'ENVIRONMENT_MISMATCH', undefined]
    expect(await error({}, { ...validInput(tenant), environment: 'dev' })).toEqual(mismatch)
    const patched = await client.call(`PATCH /${id}`, { environment: 'dev' })
    expect([patched.status, patched.body.error]).toEqual([400, 'ENVIRONMENT_MISMATCH'])
  })
})

describe('an invalid id', () => {
  it.each(['not-a-uuid', '1', '00000000-0000-4000-8000-000000000000', '%00', long(3000)])(
    '%.40s is 404 WEBHOOK_NOT_FOUND',
    async (unknown) => {
      for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}]] as const) {
        const answer = await client.call(`${method} /${unknown}`, body)
        expect([answer.status, answer.body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
      }
    },
  )
})

describe('an unknown method', () => {
  it('is 405 with the allowed methods', async () => {
    const { status, headers, body } = await client.call(`PUT /${id}`, {})
    expect([status, body.error]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH'])
  })
})

it('changed nothing', async () => {
  const { body } = await client.list()
  expect(body.webhooks.map((webhook) => webhook.id)).toEqual([id])
  expect(body.webhooks[0]).toMatchObject({ table: 'orders', active: true })
})
