import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Replay } from '@surehook/contracts/http/webhooks/log'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { environmentRecord } from '@surehook/testing/tenants'
import { until } from '@surehook/testing/until'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore } from '../src/history/write/delivery-store.ts'
import { logChanges } from './support/changes.ts'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type World } from './support/under-test.ts'

let world: World
let proxy: TcpProxy
let historyUrl: string

beforeAll(async () => {
  world = await openWorld()
  proxy = await TcpProxy.openTo(world.config.historyUrl)
  historyUrl = proxy.urlOf(world.config.historyUrl)
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const ready = async (internal: string) => (await fetch(`${internal}/readyz`)).status

it('starts, manages webhooks and sends test deliveries without the history, which follows', async () => {
  proxy.set({ kind: 'reset' })
  await using service = await world.startService({ historyUrl })
  const tenant = await world.tenant()
  const client = clientOf(service.api, tenant)

  const { status, body } = await client.call('POST', validInput(tenant))
  expect(status).toBe(201)
  const at = `/${body.id}`
  expect((await client.call(`PATCH ${at}`, { name: 'Billing' })).status).toBe(200)
  expect((await client.list()).body.webhooks.map(({ id }) => id)).toEqual([body.id])
  const test = await client.call<{ deliveryId: string }>(`POST ${at}/test`)
  expect(test.status).toBe(202)
  for (const request of [
    `GET ${at}/deliveries`,
    `GET ${at}/stats`,
    `POST ${at}/deliveries/${randomUUID()}/redeliver`,
  ]) {
    const answer = await client.call(request)
    expect([answer.status, answer.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const cancelled = await client.call(`POST ${at}/cancel`, { status: 'paused' })
  expect(cancelled.status).toBe(503)
  expect((await world.subscriptionStates()).get(body.id)?.cancellations ?? []).toEqual([])
  expect(await ready(service.internal)).toBe(200)

  proxy.set({ kind: 'pass' })
  const shown = async () =>
    (await client.call(`GET ${at}/deliveries/${test.body.deliveryId}`)).status === 200
  await until(shown, { what: 'the test delivery in the history' })
  expect((await client.call(`DELETE ${at}`)).status).toBe(204)
})

it('manages webhooks while the history accepts connections and does not answer', async () => {
  proxy.set({ kind: 'pass' })
  await using service = await world.startService({ historyUrl })
  const tenant = await world.tenant()
  const client = clientOf(service.api, tenant)
  const at = `/${(await client.call('POST', validInput(tenant))).body.id}`
  const deliveryId = randomUUID()
  const since = new Date(0).toISOString()

  proxy.set({ kind: 'drop' })
  let answered = 0
  // A project may hold two connections to read, and two to write.
  const hanging = [1, 2, 3].flatMap(() => [
    client.call(`GET ${at}`),
    client.call(`GET ${at}/deliveries`),
    client.call(`GET ${at}/deliveries/${deliveryId}`),
    client.call(`GET ${at}/stats`),
    client.call(`GET ${at}/explain?eventId=${deliveryId}`),
    client.call(`POST ${at}/deliveries/${deliveryId}/redeliver`),
    client.call(`POST ${at}/recover`, { since }),
    client.call(`POST ${at}/cancel`, { status: 'paused' }),
  ])
  for (const request of hanging) void request.then(() => answered++)

  expect((await client.call(`PATCH ${at}`, { name: 'Billing' })).status).toBe(200)
  expect((await client.list()).status).toBe(200)
  const other = await client.call('POST', validInput(tenant))
  expect(other.status).toBe(201)
  expect((await client.call(`POST ${at}/test`)).status).toBe(202)
  expect((await client.call(`DELETE /${other.body.id}`)).status).toBe(204)
  expect(answered).toBe(0)
  expect(await ready(service.internal)).toBe(200)

  proxy.set({ kind: 'reset' })
  const answers = await Promise.all(hanging)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
})

it('answers 503 if the history stops between connection and answer', async () => {
  proxy.set({ kind: 'pass' })
  await using service = await world.startService({ historyUrl })
  const tenant = await world.tenant()
  const client = clientOf(service.api, tenant)
  const at = `/${(await client.call('POST', validInput(tenant))).body.id}`
  expect((await client.call(`GET ${at}/deliveries`)).status).toBe(200)

  proxy.set({ kind: 'drop' })
  const answer = await client.call(`GET ${at}/deliveries`)
  expect([answer.status, answer.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  proxy.set({ kind: 'pass' })
  const isBack = async () => (await client.call(`GET ${at}/deliveries`)).status === 200
  await until(isBack, { what: 'the history' })
})

it('ends the webhooks of a deleted environment without the history, which is deleted later', async () => {
  proxy.set({ kind: 'pass' })
  await using service = await world.startService({ historyUrl })
  const tenant = await world.tenant()
  const { id } = (await clientOf(service.api, tenant).call('POST', validInput(tenant))).body
  const { projectId, environment } = tenant
  const own = { deliveryId: randomUUID(), subscriptionId: id, projectId, environment }
  const of = { ...own, createdAt: Date.now(), at: Date.now() }
  const days = createDeliveryDays(world.historyPool)
  await createDeliveryStore(world.historyPool, days).add({
    jobs: [aJob(of)],
    transitions: [anAttempt({ ...of, attempted: true })],
  })
  const left = async () => {
    const { rows } = await world.historyPool.query<{ table: string }>(
      `select 'delivery' as table from delivery where subscription_id = $1
       union all select 'attempt_stats' from attempt_stats where subscription_id = $1
       union all select 'attempt_stats_hour' from attempt_stats_hour where subscription_id = $1`,
      [id],
    )
    return rows.map(({ table }) => table)
  }
  expect(await left()).toEqual(['delivery', 'attempt_stats', 'attempt_stats_hour'])

  proxy.set({ kind: 'reset' })
  const deletedAt = new Date().toISOString()
  await world.producer.send([environmentRecord(world.codec, { ...tenant, deletedAt })])
  const isEnded = async () => !(await world.subscriptionStates()).has(id)
  await until(isEnded, { what: 'the tombstone of the webhook' })
  expect(await left()).toHaveLength(3)

  proxy.set({ kind: 'pass' })
  await until(async () => (await left()).length === 0, { what: 'the end of its history' })
})

it('replays all batches without the history', async () => {
  proxy.set({ kind: 'pass' })
  await using service = await world.startService({ historyUrl })
  const tenant = await world.tenant()
  const client = clientOf(service.api, tenant)
  const at = `/${(await client.call('POST', validInput(tenant))).body.id}`
  // A batch has 100.
  const count = 150
  await logChanges(
    world,
    tenant,
    Array.from({ length: count }, () => ({})),
  )

  proxy.set({ kind: 'reset' })
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const { status, body } = await client.call<{ replayId: string }>(`POST ${at}/replay`, { from })
  expect(status).toBe(202)
  const shown = async () => (await client.call<Replay>(`GET ${at}/replays/${body.replayId}`)).body
  await until(async () => (await shown()).state === 'done', { what: 'the end of the replay' })
  expect((await shown()).deliveries).toBe(count)
})
