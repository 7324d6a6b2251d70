import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryStatus } from '@surehook/contracts/events'
import type { DeliveryDetail, listDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import { deliveryId as originalId, redeliveryId } from '@surehook/contracts/ids'
import type { ReplyOf } from '@surehook/contracts/operation'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { type HistoryWorld, openHistoryWorld } from './support/history-world.ts'
import type { Tenant } from './support/under-test.ts'

let world: HistoryWorld
let tenant: Tenant
let client: WebhooksClient
let id: string

beforeAll(async () => {
  world = await openHistoryWorld()
})
afterAll(async () => world?.[Symbol.asyncDispose]())
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(world.service.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
})

const dayMs = 86_400_000
const now = Date.now()

type DeliveryFields = { at: number; status?: DeliveryStatus; eventId?: string }

/**
 * Writes deliveries into the log and returns their ids in the given order. A second delivery of an
 * event is a redelivery.
 */
async function logged(given: readonly DeliveryFields[]): Promise<string[]> {
  const { projectId, environment } = tenant
  const seen = new Set<string>()
  const all = given.map(({ at, status = 'pending', eventId = randomUUID() }) => {
    const original = originalId(eventId, id)
    const redeliveryOf = seen.has(original) ? original : null
    seen.add(original)
    const own = {
      deliveryId: redeliveryOf === null ? original : redeliveryId(original, randomUUID()),
      subscriptionId: id,
      createdAt: at,
      eventId,
    }
    return { own, ids: { webhookId: original, redeliveryOf }, status }
  })
  await world.store.addJobs(
    all.map(({ own, ids }) => aJob({ ...own, ...ids, projectId, environment })),
  )
  const moved = all.filter(({ status }) => status !== 'pending')
  await world.store.addTransitions(
    moved.map(({ own, status }) =>
      anAttempt({ ...own, projectId, environment, status, at: own.createdAt }),
    ),
  )
  return all.map(({ own }) => own.deliveryId)
}

const list = async (query = '') => {
  const { status, body } = await client.call<ReplyOf<typeof listDeliveries>>(
    `GET /${id}/deliveries${query}`,
  )
  expect(status).toBe(200)
  return { ids: body.deliveries.map((delivery) => delivery.id), cursor: body.nextCursor }
}

/** Returns all pages, and calls `between` after each. */
async function pages(query: string, between: () => Promise<unknown> = async () => undefined) {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof list>> = await list(
      `?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    ids.push(...page.ids)
    cursor = page.cursor
    await between()
  }
  return ids
}

describe('GET …/deliveries', () => {
  it('comes in pages, newest first, across days and within one millisecond', async () => {
    const times = [0, 0, 0, 1, dayMs, dayMs, 2 * dayMs, 5 * dayMs].map((back) => now - back)
    const ids = await logged(times.map((at) => ({ at })))
    const all = await pages('limit=3')
    expect(all.toSorted()).toEqual(ids.toSorted())
    const ordered = ids.map((one, index) => [times[index] ?? 0, one] as const)
    ordered.sort(([a, x], [b, y]) => b - a || (x < y ? 1 : -1))
    expect(all).toEqual(ordered.map(([, one]) => one))
    expect((await list('?limit=8')).cursor).toBeNull()
  })

  it('shows each delivery once, whatever arrives meanwhile', async () => {
    const ids = await logged(Array.from({ length: 20 }, (_, n) => ({ at: now - n * 3_600_000 })))
    const all = await pages('limit=4', () => logged([{ at: now + 1 }, { at: now - 1_800_000 }]))
    expect(all.filter((one) => ids.includes(one))).toEqual(ids)
    expect(new Set(all).size).toBe(all.length)
  })

  it('filters by status, page by page', async () => {
    const statuses: DeliveryStatus[] = ['delivered', 'dead_letter', 'paused', 'pending']
    const given = Array.from({ length: 16 }, (_, n) => ({
      at: now - n * 7_200_000,
      status: statuses[n % 4] ?? 'pending',
    }))
    const ids = await logged(given)
    for (const [index, status] of statuses.entries()) {
      const wanted = ids.filter((_, n) => n % 4 === index)
      expect(await pages(`limit=3&status=${status}`)).toEqual(wanted)
    }
    expect(await pages('status=cancelled')).toEqual([])
  })

  it('filters by event, by time, and by all of it', async () => {
    const eventId = randomUUID()
    const ids = await logged([
      { at: now, eventId },
      { at: now - 1000 },
      { at: now - dayMs, eventId, status: 'dead_letter' },
      { at: now - 2 * dayMs, eventId },
    ])
    expect(await pages(`limit=1&eventId=${eventId}`)).toEqual([ids[0], ids[2], ids[3]])
    const since = encodeURIComponent(new Date(now - dayMs).toISOString())
    expect(await pages(`since=${since}`)).toEqual(ids.slice(0, 3))
    expect(await pages(`eventId=${eventId}&since=${since}&status=dead_letter`)).toEqual([ids[2]])
    const offset = encodeURIComponent(
      new Date(now - dayMs + 3_600_000).toISOString().replace('Z', '+01:00'),
    )
    expect(await pages(`since=${offset}`)).toEqual(ids.slice(0, 3))
    expect(await pages('eventId=nothing')).toEqual([])
  })

  it.each([
    ['status', 'status=lost'],
    ['status', 'status='],
    ['eventId', 'eventId='],
    ['eventId', `eventId=${'x'.repeat(129)}`],
    ['eventId', 'eventId=a%00b'],
    ['since', 'since=yesterday'],
    ['since', 'since=2026-01-31'],
    ['since', 'since=0000-01-01T00:00:00Z'],
    ['since', 'since=0001-01-01T00:00:00%2B01:00'],
    ['since', 'since=9999-12-31T23:59:59-01:00'],
    ['since', 'since=2026-01-01T00:00:00Z&since=2026-01-02T00:00:00Z'],
    ['limit', 'limit=0'],
    ['limit', 'limit=1001'],
    ['limit', 'limit=ten'],
    ['cursor', 'cursor='],
    ['cursor', 'cursor=abc'],
    ['cursor', `cursor=${Buffer.from('["2026-01-01T00:00:00Z","x"]').toString('base64url')}`],
    ['page', 'page=2'],
  ])('names %s in ?%s', async (field, query) => {
    const { status, body } = await client.call(`GET /${id}/deliveries?${query}`)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations).toMatchObject([{ field, message: expect.any(String) }])
  })
})

describe('POST …/recover', () => {
  const since = '2026-01-01T00:00:00Z'

  it.each([
    ['since', {}],
    ['since', { since: 'yesterday' }],
    ['since', { since: 1767225600 }],
    ['since', { since: '0000-01-01T00:00:00Z' }],
    ['until', { since, until: '9999-12-31T23:59:59-01:00' }],
    ['until', { since, until: 'now' }],
    ['until', { since, until: since }],
    ['until', { since, until: '2025-12-31T23:59:59Z' }],
    ['limit', { since, limit: 1 }],
    ['body', []],
  ])('names %s in %j', async (field, input) => {
    const { status, body } = await client.call(`POST /${id}/recover`, input)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations).toMatchObject([{ field, message: expect.any(String) }])
  })
})

describe('what belongs to others', () => {
  const calls = (
    of: string,
    deliveryId: string,
  ): [method: string, path: string, body?: object][] => [
    ['GET', `/${of}/deliveries`],
    ['GET', `/${of}/deliveries/${deliveryId}`],
    ['POST', `/${of}/deliveries/${deliveryId}/redeliver`],
    ['POST', `/${of}/recover`, { since: '2026-01-01T00:00:00Z' }],
    ['POST', `/${of}/test`],
  ]
  const rows = async () => (await world.historyPool.query('select count(*) from delivery')).rows[0]

  it('is 404, like an unknown id, and nothing happens', async () => {
    const [deliveryId = ''] = await logged([{ at: now, status: 'dead_letter' }])
    const before = await rows()
    const stranger = await world.tenant()
    const other = { ...tenant, environment: 'other', token: tenant.token }
    for (const caller of [
      clientOf(world.service.api, stranger),
      clientOf(world.service.api, other),
    ]) {
      for (const [method, path, body] of calls(id, deliveryId)) {
        const theirs = await caller.call(`${method} ${path}`, body)
        const nobodys = await caller.call(`${method} ${path.replace(id, randomUUID())}`, body)
        expect([method, path, theirs.status, theirs.body]).toEqual([
          method,
          path,
          nobodys.status,
          nobodys.body,
        ])
        expect(theirs.status).toBe(404)
        expect(theirs.text).not.toContain(deliveryId)
      }
    }
    expect(await rows()).toEqual(before)
  })

  it('stays with its own subscription', async () => {
    const [deliveryId = ''] = await logged([{ at: now, status: 'delivered' }])
    const sibling = (await client.call('POST', validInput(tenant))).body.id
    for (const wrong of [deliveryId, randomUUID(), 'no-uuid']) {
      for (const [method, path] of calls(sibling, wrong).slice(1, 3)) {
        const { status, body } = await client.call(`${method} ${path}`)
        expect([status, body.error]).toEqual([404, 'DELIVERY_NOT_FOUND'])
      }
    }
    expect((await list()).ids).toEqual([deliveryId])
  })
})

it('tells the delays of further attempts: its own, or those of the installation', async () => {
  const { projectId, environment } = tenant
  const deliveryId = randomUUID()
  const own = { deliveryId, subscriptionId: id, createdAt: now, body: Buffer.alloc(0) }
  await world.store.addJobs([aJob({ ...own, projectId, environment })])
  const delays = async () => {
    const { body } = await client.call<DeliveryDetail>(`GET /${id}/deliveries/${deliveryId}`)
    return body.retryDelays
  }
  expect(await delays()).toEqual(['1s', '5s', '30s', '5m'])
  await client.call(`PATCH /${id}`, { policy: { retryDelays: ['5s', '2h'] } })
  expect(await delays()).toEqual(['5s', '2h'])
  await client.call(`PATCH /${id}`, { policy: { retryDelays: null, gone: 'deactivate' } })
  expect(await delays()).toEqual(['1s', '5s', '30s', '5m'])
})

describe('redeliver', () => {
  it('refuses what was too large to have a body', async () => {
    const own = { deliveryId: randomUUID(), subscriptionId: id, createdAt: now }
    const { projectId, environment } = tenant
    await world.store.addJobs([aJob({ ...own, projectId, environment, body: Buffer.alloc(0) })])
    const path = `/${id}/deliveries/${own.deliveryId}`
    expect((await client.call(`GET ${path}`)).body).toMatchObject({ body: null, attemptLog: [] })
    const { status, body } = await client.call(`POST ${path}/redeliver`)
    expect([status, body.error]).toEqual([409, 'CONFLICT'])
  })

  it('answers 503 for a delivery whose job the log has not read yet', async () => {
    const { projectId, environment } = tenant
    const transition = {
      ...{ subscriptionId: id, projectId, environment },
      status: 'delivered' as const,
    }
    const redelivered = async (createdAt: number) => {
      const deliveryId = randomUUID()
      await world.store.addTransitions([
        anAttempt({ ...transition, deliveryId, createdAt, at: createdAt }),
      ])
      return client.call(`POST /${id}/deliveries/${deliveryId}/redeliver`)
    }
    const soon = await redelivered(Date.now())
    expect([soon.status, soon.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(soon.headers.get('retry-after')).toBe('1')
    // A job that has not arrived for this long was refused, or is gone from its topic.
    const old = await redelivered(Date.now() - 3_600_000)
    expect([old.status, old.body.error]).toEqual([409, 'CONFLICT'])
  })
})
