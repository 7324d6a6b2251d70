import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { getWebhook, Subscription } from '@surehook/contracts/http/webhooks/webhooks'
import type { ReplyOf } from '@surehook/contracts/operation'
import { expectStatus, fieldsOf, type RequestHeaders } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'

let world: SharedListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const url = 'https://receiver.example/hooks'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const created = (fields?: object) => tenant.subscribe(url, fields)
const idsOf = (webhooks: readonly Subscription[]) => webhooks.map(({ id }) => id)

describe('POST /_webhooks', () => {
  it('answers 201 with the fields of the spec, without the secret', async () => {
    const { status, body } = await tenant.webhooks('POST', tenant.subscriptionInput(url))
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      projectId: tenant.projectId,
      environment: 'master',
      table: 'orders',
      events: ['INSERT', 'UPDATE', 'DELETE'],
      url,
      active: true,
      createdAt: expect.stringMatching(isoTime),
    })
    expect(Math.abs(Date.parse(body.createdAt) - Date.now())).toBeLessThan(60_000)
  })

  it('accepts active, filter and select', async () => {
    const given = { active: false, filter: { status: 'paid' }, select: ['status'] }
    expect(await created(given)).toMatchObject(given)
  })

  it.each(['projectId', 'environment', 'table', 'events', 'url', 'secret'])(
    'requires %s',
    async (field) => {
      const input = { ...tenant.subscriptionInput(url), [field]: undefined }
      const answer = await tenant.webhooks('POST', input)
      expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]])
    },
  )

  it.each(['id', 'createdAt'])('assigns %s itself', async (field) => {
    const input = { ...tenant.subscriptionInput(url), [field]: randomUUID() }
    const answer = await tenant.webhooks('POST', input)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]])
  })

  it('makes another subscription from the same fields', async () => {
    const [first, second] = [await created(), await created()]
    expect(second.id).not.toBe(first.id)
  })
})

describe('GET /_webhooks', () => {
  it('lists the subscriptions, newest first, without secrets', async () => {
    const first = await created()
    const second = await created({ table: 'invoices', active: false })
    const answer = await tenant.webhooks('GET')
    expect([answer.status, answer.body]).toEqual([
      200,
      { webhooks: [second, first], nextCursor: null },
    ])
    expect(answer.text).not.toContain('secret')
  })

  it('is empty at first', async () => {
    expect(await tenant.subscriptions()).toEqual({ webhooks: [], nextCursor: null })
  })

  it('comes in pages, by table, by active', async () => {
    const [a, b, c] = [await created(), await created({ active: false }), await created()]
    const page = await tenant.subscriptions('?limit=2')
    expect(idsOf(page.webhooks)).toEqual([c.id, b.id])
    const rest = await tenant.subscriptions(`?limit=2&cursor=${page.nextCursor}`)
    expect([idsOf(rest.webhooks), rest.nextCursor]).toEqual([[a.id], null])
    const paused = await tenant.subscriptions('?table=orders&active=false')
    expect(idsOf(paused.webhooks)).toEqual([b.id])
    expect((await tenant.subscriptions('?table=nothing')).webhooks).toEqual([])
  })
})

describe('GET /_webhooks/{id}', () => {
  it('answers the subscription and its deliveries', async () => {
    const webhook = await created()
    const { status, body } = await tenant.webhooks(`GET /${webhook.id}`)
    expect([status, body]).toEqual([200, { webhook, deliveries: [] }])
  })

  it('shows each delivery with the fields of the spec', async () => {
    const listener = await world.listen(tenant)
    await tenant.insert()
    const [payload] = await listener.arrived(1)
    const [delivery] = await listener.log(([newest]) => newest?.status === 'delivered')
    expect(delivery).toMatchObject({
      id: expect.stringMatching(uuid),
      eventId: payload?.id,
      status: 'delivered',
      httpStatus: 204,
      attempts: 1,
      createdAt: expect.stringMatching(isoTime),
    })
    expect(delivery?.id).not.toBe(payload?.id)
  })

  it('shows the newest 50 deliveries, newest first', async () => {
    const listener = await world.listen(tenant)
    const records = Array.from({ length: 52 }, (_, n) => ({ n }))
    expectStatus(201, await tenant.rest('POST orders', records))
    await listener.arrived(52)
    await tenant.insert({ n: 52 })
    const newest = (await listener.arrived(53)).find(({ record }) => record['n'] === 52)
    const log = await listener.log(
      (all) => all[0]?.eventId === newest?.id && all.every(({ status }) => status === 'delivered'),
    )
    expect(new Set(log.map(({ id }) => id)).size).toBe(50)
    const times = log.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })
})

describe('PATCH /_webhooks/{id}', () => {
  it.each([
    { table: 'invoices' },
    { events: ['DELETE'] },
    { url: 'https://other.example/' },
    { active: false },
    { filter: { status: 'paid' } },
    { select: ['status'] },
    { events: ['INSERT'], url: 'https://both.example/' },
  ])('changes %j and nothing else', async (change) => {
    const before = await created()
    const { status, body } = await tenant.webhooks(`PATCH /${before.id}`, change)
    const { warnings, ...webhook } = body
    expect([status, webhook]).toEqual([200, { ...before, ...change }])
    // The table `invoices` does not exist.
    expect(warnings?.map(({ field }) => field)).toEqual('table' in change ? ['table'] : undefined)
    expect(
      (await tenant.webhooks<ReplyOf<typeof getWebhook>>(`GET /${before.id}`)).body.webhook,
    ).toEqual(body)
  })

  it('accepts a new secret and shows none', async () => {
    const before = await created()
    const { status, body } = await tenant.webhooks(`PATCH /${before.id}`, { secret: 'another' })
    const previousSecretExpiresAt = expect.any(String)
    expect([status, body]).toEqual([200, { ...before, previousSecretExpiresAt }])
  })

  it('removes filter and select with null', async () => {
    const { id } = await created({ filter: { status: 'paid' }, select: ['status'] })
    const { body } = await tenant.webhooks(`PATCH /${id}`, { filter: null, select: null })
    expect([body.filter, body.select]).toEqual([undefined, undefined])
  })

  it('cannot move a subscription to another project or environment', async () => {
    const { id, projectId, environment } = await created()
    const same = await tenant.webhooks(`PATCH /${id}`, { projectId, environment })
    expect(same.status).toBe(200)
    const project = await tenant.webhooks(`PATCH /${id}`, { projectId: 'another' })
    expect([project.status, fieldsOf(project)]).toEqual([400, ['projectId']])
    const moved = await tenant.webhooks(`PATCH /${id}`, { environment: 'another' })
    expect([moved.status, moved.body.error]).toEqual([400, 'ENVIRONMENT_MISMATCH'])
  })
})

describe('DELETE /_webhooks/{id}', () => {
  it('answers 204, and then the subscription is gone', async () => {
    const { id } = await created()
    const { status, text } = await tenant.webhooks(`DELETE /${id}`)
    expect([status, text]).toEqual([204, ''])
    for (const request of [`GET /${id}`, `DELETE /${id}`]) {
      const { status: gone, body } = await tenant.webhooks(request)
      expect([gone, body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    }
    expect((await tenant.subscriptions()).webhooks).toEqual([])
  })
})

describe('every management call', () => {
  const calls = ['POST', 'GET', 'GET /{id}', 'PATCH /{id}', 'DELETE /{id}']
  const call = async (request: string, headers: RequestHeaders) => {
    const { id } = await created()
    const body = { POST: tenant.subscriptionInput(url), PATCH: {} }[request.split(' ')[0] ?? '']
    const answer = await tenant.webhooks(request.replace('{id}', id), body, headers)
    return [answer.status, answer.body.error, ...fieldsOf(answer)]
  }

  it.each(calls)('needs a management token: %s', async (request) => {
    const wrong = [undefined, '', tenant.token, `Basic ${tenant.token}`, 'Bearer mt_x', 'Bearer ']
    for (const authorization of wrong) {
      expect(await call(request, { authorization })).toEqual([401, 'MANAGEMENT_TOKEN_INVALID'])
    }
  })

  it.each(calls)('needs X-Project-ID and environment: %s', async (request) => {
    const project = await call(request, { 'x-project-id': undefined })
    expect(project).toEqual([400, 'VALIDATION_ERROR', 'X-Project-Id'])
    const environment = await call(request, { environment: undefined })
    expect(environment).toEqual([400, 'VALIDATION_ERROR', 'environment'])
  })

  it.each(['POST', 'PATCH /{id}'])('with a body needs it as JSON: %s', async (request) => {
    const answer = await call(request, { 'content-type': 'text/plain' })
    expect(answer).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it('that creates has the same environment in header and body', async () => {
    const input = { ...tenant.subscriptionInput(url), environment: 'dev' }
    const { status, body } = await tenant.webhooks('POST', input)
    expect([status, body.error]).toEqual([400, 'ENVIRONMENT_MISMATCH'])
  })

  it('carries a request id: the client’s, or a new one', async () => {
    const given = await tenant.webhooks('GET', undefined, { 'x-request-id': 'my-id.1' })
    expect(given.headers.get('x-request-id')).toBe('my-id.1')
    const { headers } = await tenant.webhooks('GET', undefined, { 'x-request-id': 'a b' })
    expect(headers.get('x-request-id')).toMatch(uuid)
  })
})
