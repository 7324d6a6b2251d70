import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { circuitId, circuitKey, closedByRequest, loadKey } from '@surehook/contracts/circuits'
import type { listEndpoints } from '@surehook/contracts/http/webhooks/endpoints'
import { endpointId } from '@surehook/contracts/ids'
import type { ReplyOf } from '@surehook/contracts/operation'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { environmentRecord } from '@surehook/testing/tenants'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore } from '../src/history/write/delivery-store.ts'
import { clientOf, validInput } from './support/client.ts'
import {
  log,
  openWorld,
  type Running,
  sharedStack,
  type Tenant,
  type World,
} from './support/under-test.ts'

let world: World
let service: Running
let redis: RedisClient
let pool: Pool
let tenant: Tenant
let client: Client

beforeAll(async () => {
  redis = await openRedis({ url: sharedStack().redisUrl ?? '', log })
  world = await openWorld()
  service = await world.startService()
  const connectionString = world.config.historyUrl
  pool = openPool({ connectionString, applicationName: 'test', log })
})
afterAll(async () => {
  await pool?.end()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  redis?.destroy()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientBelow(`${service.api}/api/rest`, headersOf(tenant))
})

const url = 'https://receiver.example/hooks?key=hidden'
const subscribe = async (of = tenant, to = url): Promise<string> =>
  (await clientOf(service.api, of).call('POST', { ...validInput(of), url: to })).body.id
const idOf = (of = tenant, to = url) => endpointId({ ...of, url: to })

/** Writes a circuit as a dispatcher does. */
const open = (id: string, openUntil: number) =>
  redis.hSet(circuitKey(id), { failures: 0, openUntil: String(openUntil) })

const list = (query = '', by = client) =>
  by.call<ReplyOf<typeof listEndpoints>>(`GET /_endpoints${query}`)

async function pause(webhook: string): Promise<void> {
  const { projectId, environment } = tenant
  const own = { deliveryId: randomUUID(), subscriptionId: webhook, projectId, environment }
  const at = { createdAt: Date.now(), at: Date.now() }
  const store = createDeliveryStore(pool, createDeliveryDays(pool))
  await store.addTransitions([anAttempt({ ...own, ...at, status: 'paused' })])
}

it('shows where subscriptions deliver to, each URL once, with its circuit', async () => {
  const [a, b] = [await subscribe(), await subscribe()]
  await client.call(`PATCH /_webhooks/${b}`, { name: 'Billing' })
  const other = await subscribe(tenant, 'https://other.example/')
  const openUntil = Date.now() + 60_000
  await open(idOf(), openUntil)
  await redis.hSet(loadKey(idOf(tenant, 'https://other.example/')), { inFlight: 7 })
  await redis.hSet(circuitKey(idOf(tenant, 'https://other.example/')), { failures: 3 })
  for (const webhook of [a, b]) await pause(webhook)
  const { status, body } = await list()
  expect([status, body.nextCursor]).toEqual([200, null])
  expect(body.endpoints).toEqual(
    [
      {
        ...{ id: idOf(), url: 'https://receiver.example/hooks', webhooks: [a, b] },
        webhookNames: { [b]: 'Billing' },
        ...{ circuit: 'open', openUntil: new Date(openUntil).toISOString(), refusedWebhooks: [] },
        ...{ consecutiveFailures: 0, inFlight: 0, paused: 2 },
      },
      {
        ...{ id: idOf(tenant, 'https://other.example/'), url: 'https://other.example/' },
        ...{ webhooks: [other], circuit: 'closed', openUntil: null, refusedWebhooks: [] },
        ...{ consecutiveFailures: 3, inFlight: 7, paused: 0 },
      },
    ].toSorted((x, y) => (x.id < y.id ? -1 : 1)),
  )
  expect(JSON.stringify(body)).not.toContain('hidden')
  expect((await client.call(`GET /_endpoints/${idOf()}`)).body).toMatchObject({ id: idOf() })
})

it('shows which subscription the receiver refuses, and closes its circuit too', async () => {
  const [a, b] = [await subscribe(), await subscribe()]
  const own = (webhookId: string) => circuitId({ endpointId: idOf(), webhookId })
  const openUntil = Date.now() + 60_000
  const shown = async () => (await client.call(`GET /_endpoints/${idOf()}`)).body
  await open(own(b), openUntil)
  expect(await shown()).toMatchObject({ circuit: 'closed', openUntil: null, refusedWebhooks: [b] })
  await open(own(a), openUntil + 1_000)
  expect(await shown()).toMatchObject({
    ...{ circuit: 'open', openUntil: new Date(openUntil).toISOString(), refusedWebhooks: [a, b] },
  })
  expect((await client.call(`POST /_endpoints/${idOf()}/close`)).status).toBe(204)
  expect(await shown()).toMatchObject({ circuit: 'closed', refusedWebhooks: [] })
})

it('comes in pages', async () => {
  const urls = ['a', 'b', 'c'].map((path) => `https://receiver.example/${path}`)
  for (const one of urls) await subscribe(tenant, one)
  const first = await list('?limit=2')
  const rest = await list(`?limit=2&cursor=${first.body.nextCursor}`)
  const ids = [first, rest].flatMap(({ body }) => body.endpoints)
  expect(ids.map(({ id }) => id)).toEqual(urls.map((one) => idOf(tenant, one)).toSorted())
  expect(rest.body.nextCursor).toBeNull()
  const { status, body } = await list('?cursor=abc')
  expect([status, body.violations?.[0]?.field]).toEqual([400, 'cursor'])
})

it('shows a circuit that was closed by hand as closed, at once', async () => {
  await subscribe()
  await open(idOf(), Date.now() + 60_000)
  expect((await client.call(`POST /_endpoints/${idOf()}/close`)).status).toBe(204)
  const { body } = await client.call(`GET /_endpoints/${idOf()}`)
  expect(body).toMatchObject({ circuit: 'closed', openUntil: null, consecutiveFailures: 0 })
  // A request expires if no dispatcher meets it.
  expect(await redis.pTTL(circuitKey(idOf()))).toBeGreaterThan(0)
})

it('keeps tenants apart', async () => {
  await subscribe()
  const stranger = await world.tenant()
  await subscribe(stranger)
  await open(idOf(), Date.now() + 60_000)
  const theirs = clientBelow(`${service.api}/api/rest`, headersOf(stranger))
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/close'],
  ]) {
    const { status, body } = await theirs.call(`${method} /_endpoints/${idOf()}${path}`)
    expect([status, body.error]).toEqual([404, 'ENDPOINT_NOT_FOUND'])
  }
  const { body } = await list('', theirs)
  expect(body.endpoints).toMatchObject([{ id: idOf(stranger), circuit: 'closed' }])
  expect(await redis.hGet(circuitKey(idOf()), 'openUntil')).not.toBe('0')
})

it('answers 503 without Redis, and everything else as ever', async () => {
  await using without = await world.startService({ redis: null })
  await using unreached = await world.startService({ redis: { url: 'redis://127.0.0.1:1' } })
  const webhook = await subscribe()
  for (const { api } of [without, unreached]) {
    const by = clientBelow(`${api}/api/rest`, headersOf(tenant))
    const isKnown = async () => (await by.call(`GET /_webhooks/${webhook}`)).status === 200
    await until(isKnown, { what: 'the tenant' })
    const { status, body } = await by.call('GET /_endpoints')
    expect([status, body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect((await by.call('GET /_deliveries')).status).toBe(200)
  }
})

it('asks the owner to close the circuits of a deleted environment, so that their events end', async () => {
  await subscribe()
  const stranger = await world.tenant()
  await subscribe(stranger)
  const openUntil = Date.now() + 60_000
  await open(idOf(), openUntil)
  await open(idOf(stranger), openUntil)
  await redis.hSet(circuitKey(idOf()), { place: url })
  const deletedAt = new Date().toISOString()
  await world.producer.send([environmentRecord(world.codec, { ...tenant, deletedAt })])
  await until(async () => (await redis.hGet(circuitKey(idOf()), 'openUntil')) === closedByRequest)
  expect(await redis.hGet(circuitKey(idOf()), 'place')).toBeNull()
  expect(await redis.hGet(circuitKey(idOf(stranger)), 'openUntil')).toBe(String(openUntil))
})
