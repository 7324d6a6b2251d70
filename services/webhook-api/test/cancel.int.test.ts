import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { DeliveryStatus } from '@surehook/contracts/events'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { type Client } from '@surehook/scripts/client/call'
import { clientOf, validInput } from './support/client.ts'
import { type HistoryWorld, openHistoryWorld } from './support/history-world.ts'
import type { Tenant } from './support/under-test.ts'

let world: HistoryWorld
let tenant: Tenant
let client: Client
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

const hourMs = 3_600_000

async function logged(status: DeliveryStatus, backMs: number) {
  const { projectId, environment } = tenant
  const at = Date.now() - backMs
  const own = { deliveryId: randomUUID(), subscriptionId: id, projectId, environment }
  await world.store.addTransitions([anAttempt({ ...own, status, createdAt: at, at })])
}

const stateOf = async () => (await world.subscriptionStates()).get(id)

it('counts those in the state, and tells the dispatchers before it answers', async () => {
  for (const back of [0, hourMs, 30 * hourMs]) await logged('paused', back)
  await logged('retrying', 0)
  const before = Date.now()
  const { status, body } = await client.call(`POST /${id}/cancel`, { status: 'paused' })
  expect([status, body]).toEqual([202, { count: 3 }])
  const [cancellation, ...more] = (await stateOf())?.cancellations ?? []
  expect([cancellation?.status, more]).toEqual(['paused', []])
  expect(cancellation?.askedAt).toBeGreaterThanOrEqual(before)
  expect(cancellation?.until).toBe(cancellation?.askedAt)
})

it('counts 100,000 deliveries at most, so that it ends in time', async () => {
  await logged('paused', 0)
  const { rows } = await world.historyPool.query<{ others: string }>(
    `select string_agg(quote_ident(attname), ', ') as others from pg_attribute
     where attrelid = 'delivery'::regclass and attnum > 0 and attname <> 'id' and not attisdropped`,
  )
  const others = rows[0]?.others ?? ''
  // The service's own limit for statements is too short for these rows on a slow machine.
  await world.historyPool.query(
    `begin; set local statement_timeout = 0;
     insert into delivery (id, ${others}) select gen_random_uuid(), ${others}
     from delivery, generate_series(1, 100000) where subscription_id = '${id}'; commit`,
  )
  const { body } = await client.call(`POST /${id}/cancel`, { status: 'paused' })
  expect(body).toEqual({ count: 100_000 })
})

it('reaches back as far as it is asked to, and never into the future', async () => {
  for (const back of [0, hourMs, 3 * hourMs]) await logged('retrying', back)
  const until = new Date(Date.now() - hourMs / 2).toISOString()
  const cancel = (input: object) => client.call(`POST /${id}/cancel`, input)
  expect((await cancel({ status: 'retrying', until })).body).toEqual({ count: 2 })
  const tomorrow = new Date(Date.now() + 24 * hourMs).toISOString()
  expect((await cancel({ status: 'retrying', until: tomorrow })).body).toEqual({ count: 3 })
  // The second covers the first.
  const [one, ...more] = (await stateOf())?.cancellations ?? []
  expect([more, one?.until]).toEqual([[], one?.askedAt])
})

it('stays with the subscription when that changes', async () => {
  await client.call(`POST /${id}/cancel`, { status: 'paused' })
  const before = (await stateOf())?.cancellations
  await client.call(`PATCH /${id}`, { active: false })
  expect(await stateOf()).toMatchObject({ active: false, cancellations: before })
  expect(before).toHaveLength(1)
})

it('works for a subscription with a delivery policy, and keeps the policy', async () => {
  await client.call(`PATCH /${id}`, { policy: { retryAfter: true } })
  await logged('paused', 0)
  const { body } = await client.call(`POST /${id}/cancel`, { status: 'paused' })
  expect(body).toEqual({ count: 1 })
  expect(await stateOf()).toMatchObject({
    policy: { retryAfter: true },
    cancellations: [{ status: 'paused' }],
  })
})

it('happens once under an Idempotency-Key', async () => {
  await logged('paused', 0)
  const cancel = () =>
    client.call(`POST /${id}/cancel`, { status: 'paused' }, { 'Idempotency-Key': 'k' })
  const first = await cancel()
  const { askedAt } = (await stateOf())?.cancellations[0] ?? {}
  await logged('paused', 0)
  expect([(await cancel()).body, first.body]).toEqual([{ count: 1 }, { count: 1 }])
  expect((await stateOf())?.cancellations[0]?.askedAt).toBe(askedAt)
})

it.each<[string, object]>([
  ['status', {}],
  ['status', { status: 'pending' }],
  ['until', { status: 'paused', until: 'now' }],
  ['since', { status: 'paused', since: '2026-01-01T00:00:00Z' }],
])('names %s in %j, and does nothing', async (field, input) => {
  const { status, body } = await client.call(`POST /${id}/cancel`, input)
  expect([status, body.violations?.[0]?.field]).toEqual([400, field])
  expect((await stateOf())?.cancellations).toEqual([])
})

it('is 404 for another project and another environment, and does nothing', async () => {
  const stranger = clientOf(world.service.api, await world.tenant())
  const other = clientOf(world.service.api, { ...tenant, environment: 'other' })
  for (const by of [stranger, other]) {
    const { status } = await by.call(`POST /${id}/cancel`, { status: 'paused' })
    expect(status).toBe(404)
  }
  expect((await stateOf())?.cancellations).toEqual([])
})
