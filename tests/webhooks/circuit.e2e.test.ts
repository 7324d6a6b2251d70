import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import type { Behaviour } from '@surehook/scripts/receiver/receiver'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import {
  type Listener,
  type ListeningWorld,
  openListeningWorld,
} from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

/**
 * Longer than the history lags. `npm run test:nightly` checks the cooldown of the specification.
 */
const cooldownMs = 4_000

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openListeningWorld({
    env: {
      WEBHOOK_RETRY_DELAYS: '500ms,600ms,700ms,800ms',
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

const fail: Behaviour = () => ({ status: 500 })
const succeed: Behaviour = () => ({ status: 204 })

/** Inserts all at once, so that the first attempts end before the first retry is due. */
const insert = async (count: number, of = tenant) =>
  expectStatus(201, await of.rest('POST orders', Array(count).fill({ status: 'new' })))

/** Makes five first attempts fail, and returns when the fifth has arrived. */
async function open(listener: Listener): Promise<number> {
  listener.answer(fail)
  await insert(5)
  await listener.arrived(5)
  expect(listener.receipts).toHaveLength(5)
  return listener.receipts[4]?.at ?? 0
}

const allAre = (status: string, count: number) => (all: { status: string }[]) =>
  all.length === count && all.every((one) => one.status === status)

it('opens on the fifth consecutive failure, holds everything for the cooldown, then delivers all', async () => {
  const listener = await world.listen(tenant)
  const openedAt = await open(listener)
  listener.answer(succeed)
  await insert(7)
  const paused = await listener.log(allAre('paused', 12))
  expect(paused.map(({ attempts }) => attempts)).toEqual([...Array(7).fill(0), ...Array(5).fill(1)])
  expect(listener.receipts).toHaveLength(5)

  const log = await listener.log(allAre('delivered', 12))
  const sixthAt = listener.receipts[5]?.at ?? 0
  expect(sixthAt - openedAt).toBeGreaterThanOrEqual(cooldownMs)
  expect(log.map(({ attempts }) => attempts)).toEqual([...Array(7).fill(1), ...Array(5).fill(2)])
  expect(listener.receipts).toHaveLength(17)
})

/**
 * Opens the circuit now. Its first opening that `openings` hears of must be this one: an earlier
 * one would have been told before.
 */
async function opensFirstNow(listener: Listener, openings: Listener): Promise<void> {
  const startedAt = Date.now()
  listener.answer(fail)
  await insert(5)
  const [first] = await openings.arrived(1)
  expect(Date.parse(first?.timestamp ?? '')).toBeGreaterThanOrEqual(startedAt)
}
const circuits = { table: '_endpoints', events: ['UPDATE'] }

it('does not open on the fourth', async () => {
  const openings = await world.listen(tenant, circuits)
  const listener = await world.listen(tenant, {}, (_receipt, nth) => ({
    status: nth <= 4 ? 500 : 204,
  }))
  await insert(4)
  await listener.log(allAre('delivered', 4))
  await opensFirstNow(listener, openings)
})

it('counts only consecutive failures: a success restarts the count', async () => {
  const openings = await world.listen(tenant, circuits)
  const listener = await world.listen(tenant, {}, (_receipt, nth) => ({
    status: nth === 5 ? 204 : 500,
  }))
  await insert(4)
  await listener.arrived(4)
  // The fifth request succeeds, and with three more failures at most four come in a row.
  await insert(1)
  await listener.arrived(8)
  listener.answer(succeed)
  await listener.log(allAre('delivered', 5))
  await opensFirstNow(listener, openings)
})

it('counts attempts of all deliveries of the endpoint, including retries', async () => {
  const listener = await world.listen(tenant, {}, fail)
  await insert(1)
  await listener.log(([newest]) => newest?.status === 'dead_letter')
  const fifthAt = listener.receipts[4]?.at ?? 0
  listener.answer(succeed)
  await insert(1)
  await listener.arrived(6)
  expect((listener.receipts[5]?.at ?? 0) - fifthAt).toBeGreaterThanOrEqual(cooldownMs)
})

it('opens again after five more failures', async () => {
  const listener = await world.listen(tenant)
  await open(listener)
  await listener.arrived(10)
  const reopenedAt = listener.receipts[9]?.at ?? 0
  listener.answer(succeed)
  await listener.log(allAre('delivered', 5))
  expect((listener.receipts[10]?.at ?? 0) - reopenedAt).toBeGreaterThanOrEqual(cooldownMs)
})

it('belongs to one endpoint: not to another URL or another tenant', async () => {
  const broken = await world.listen(tenant)
  const other = await world.listen(tenant)
  const neighbour = await world.tenant()
  await open(broken)
  // Both tenants post to one URL, so the receiver can tell them apart only by their requests.
  const { id } = await neighbour.subscribe(world.receiver.url(broken.path))
  await insert(1, neighbour)
  await broken.arrived(6)
  await insert(1)
  await other.log((all) => all.length === 6 && all.every(({ status }) => status === 'delivered'))
  expect(broken.payloads.filter(({ project_id }) => project_id === tenant.projectId)).toHaveLength(
    5,
  )
  expect(await neighbour.deliveries(id)).toHaveLength(1)
})

it('is not shared when the receiver refuses one subscription', async () => {
  const openings = await world.listen(tenant, circuits)
  const listener = await world.listen(tenant, { events: ['UPDATE'] }, (receipt) => ({
    status: verifySignature(receipt, defaultSecret) ? 204 : 401,
  }))
  const url = world.receiver.url(listener.path)
  const wrong = await tenant.subscribe(url, { events: ['INSERT'], secret: 'another-secret' })
  const { id } = await tenant.insert()
  await insert(5)
  const [opened] = await openings.arrived(1)
  expect(opened?.record).toMatchObject({ change: 'circuit_opened', webhookId: wrong.id })
  const shown = { circuit: 'closed', refusedWebhooks: [wrong.id] }
  // The circuit closes for a moment before it opens again.
  await eventually(
    () => tenant.rest<{ endpoints: object[] }>('GET _endpoints'),
    ({ body }) => body.endpoints.some((one) => isDeepStrictEqual({ ...one, ...shown }, one)),
  )
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { status: 'changed' }))
  await listener.log(allAre('delivered', 1))
})

it('is shared by the subscriptions of a tenant to one URL', async () => {
  const first = await world.listen(tenant)
  await open(first)
  const { id } = await tenant.subscribe(world.receiver.url(first.path), { events: ['DELETE'] })
  const record = await tenant.insert()
  expectStatus(200, await tenant.rest(`DELETE orders/${record.id}`))
  first.answer(succeed)
  const openedAt = first.receipts[4]?.at ?? 0
  await first.arrived(6)
  expect((first.receipts[5]?.at ?? 0) - openedAt).toBeGreaterThanOrEqual(cooldownMs)
  // Five retries, an INSERT and a DELETE for the first; a DELETE for the second.
  await first.arrived(5 + 5 + 3)
  expect(await tenant.deliveries(id)).toHaveLength(1)
})
