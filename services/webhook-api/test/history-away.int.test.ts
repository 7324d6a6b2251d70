import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
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
