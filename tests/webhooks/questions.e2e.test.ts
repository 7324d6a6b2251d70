import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Endpoint } from '@surehook/contracts/http/webhooks/endpoints'
import type {
  EventDetail,
  FoundDelivery,
  WebhookStats,
} from '@surehook/contracts/http/webhooks/questions'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

/** Longer than the tests: a circuit that closes was closed by hand. */
const cooldownMs = 120_000

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openListeningWorld({
    env: {
      WEBHOOK_RETRY_DELAYS: '1500ms,1600ms,1700ms,1800ms',
      WEBHOOK_CIRCUIT_COOLDOWN: `${cooldownMs}ms`,
    },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const insert = async (count: number) => {
  const records = expectStatus(
    201,
    await tenant.rest('POST orders', Array(count).fill({ status: 'new' })),
  )
  return records.body as unknown as { id: string }[]
}
const ask = async <T>(path: string) =>
  expectStatus(200, await tenant.rest(`GET ${path}`)).body as unknown as T
const found = async (query: string) =>
  (await ask<{ deliveries: FoundDelivery[] }>(`_deliveries?${query}`)).deliveries
const allAre = (status: string, count: number) => (all: { status: string }[]) =>
  all.length === count && all.every((one) => one.status === status)

it('answers what became of a record, of its change and of a subscription', async () => {
  const listener = await world.listen(tenant)
  const [record] = await insert(2)
  await listener.arrived(2)
  await listener.log(allAre('delivered', 2))
  const [delivery, ...more] = await eventually(
    () => found(`recordId=${record?.id}`),
    (all) => all.length > 0,
  )
  expect(more).toEqual([])
  const what = { table: 'orders', event: 'INSERT', recordId: record?.id }
  expect(delivery).toMatchObject({ ...what, webhookId: listener.id, status: 'delivered' })

  const event = await ask<EventDetail>(`_events/${delivery?.eventId}`)
  expect(event).toMatchObject({ ...what, record: { id: record?.id, status: 'new' } })
  expect(event.webhooks).toMatchObject([
    { webhookId: listener.id, delivered: true, delivery: { id: delivery?.id } },
  ])

  const stats = await eventually(
    () => ask<WebhookStats>(`_webhooks/${listener.id}/stats?window=1h`),
    ({ attempts }) => attempts === 2,
  )
  expect(stats).toMatchObject({ successRate: 1, counts: { delivered: 2 } })
})

it('closes a circuit by hand, and delivers what was paused', async () => {
  const listener = await world.listen(tenant, {}, () => ({ status: 500 }))
  await insert(5)
  await listener.log(allAre('paused', 5))
  const [endpoint] = (await ask<{ endpoints: Endpoint[] }>('_endpoints')).endpoints
  expect(endpoint).toMatchObject({ circuit: 'open', paused: 5, webhooks: [listener.id] })

  const before = listener.receipts.length
  listener.answer(() => ({ status: 204 }))
  expectStatus(204, await tenant.rest(`POST _endpoints/${endpoint?.id}/close`))
  await listener.arrived(before + 5)
  await listener.log(allAre('delivered', 5))
  expect(await ask<Endpoint>(`_endpoints/${endpoint?.id}`)).toMatchObject({ circuit: 'closed' })
})

it('cancels what is paused behind an open circuit, though dispatchers are killed', async () => {
  const listener = await world.listen(tenant, {}, () => ({ status: 500 }))
  await insert(7)
  await listener.log(allAre('paused', 7))
  const attempts = listener.receipts.length
  const cancel = { status: 'paused' }
  const answer = await tenant.rest(`POST _webhooks/${listener.id}/cancel`, cancel)
  expect([answer.status, answer.body]).toEqual([202, { count: 7 }])
  for (const replica of world.system.services['webhook-dispatcher']) {
    await replica.kill('SIGKILL')
    await replica.restart()
  }
  await listener.log(allAre('cancelled', 7))
  expect(listener.receipts).toHaveLength(attempts)
})

it('cancels what is retrying, and delivers what comes later', async () => {
  const listener = await world.listen(tenant, {}, () => ({ status: 500 }))
  await insert(1)
  await listener.log(allAre('retrying', 1))
  const cancel = { status: 'retrying' }
  expectStatus(202, await tenant.rest(`POST _webhooks/${listener.id}/cancel`, cancel))
  await listener.log(allAre('cancelled', 1))
  listener.answer(() => ({ status: 204 }))
  await insert(1)
  const log = await listener.log((all) => all.length === 2 && all[0]?.status === 'delivered')
  expect(log.map(({ status }) => status)).toEqual(['delivered', 'cancelled'])
})
