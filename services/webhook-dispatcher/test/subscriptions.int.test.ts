import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryJob, SubscriptionState } from '@surehook/contracts/events'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import { until } from '@surehook/testing/until'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness
let path: string

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  path = `/${randomUUID()}`
  await harness.run()
})

const url = (n: number) => harness.receiver.url(`${path}/${n}`)
const loaded = async () =>
  (await harness.metric('surehook_delivery_subscriptions_loaded', {})) ?? Number.NaN
const all = (jobs: readonly DeliveryJob[], status: string) =>
  until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === status), {
    timeoutMs: 40_000,
  })

/** Subscriptions with endpoints of their own. */
async function subscribeMany(count: number): Promise<SubscriptionState[]> {
  const many: SubscriptionState[] = []
  for (let n = 0; n < count; n++) many.push(await harness.subscribe(url(n)))
  return many
}

async function enqueueEach(subscriptions: readonly SubscriptionState[]): Promise<DeliveryJob[]> {
  const jobs: DeliveryJob[] = []
  for (const subscription of subscriptions) jobs.push(await harness.enqueueOne(subscription))
  return jobs
}

describe('the state of a subscription', () => {
  it('is read when the subscription has a delivery, and not before', async () => {
    const subscriptions = await subscribeMany(20)
    await harness.stop()
    await harness.run()
    await all(await enqueueEach(subscriptions.slice(0, 5)), 'delivered')
    const withFive = await loaded()
    await all(await enqueueEach(subscriptions), 'delivered')
    // Other tests may have left paused deliveries, whose subscriptions are read too.
    expect((await loaded()) - withFive).toBeGreaterThanOrEqual(15)
  })

  it('is the newest one, whatever came before it was read', async () => {
    const [rotated, moved, deleted] = (await subscribeMany(3)) as [
      SubscriptionState,
      SubscriptionState,
      SubscriptionState,
    ]
    for (const one of [rotated, moved, deleted]) {
      await harness.subscribe(one.url, { ...one, active: false })
    }
    const jobs = await enqueueEach([rotated, moved, deleted])
    await all(jobs, 'paused')
    await harness.stop()
    await harness.subscribe(rotated.url, { id: rotated.id }, ['new'])
    await harness.subscribe(url(7), { id: moved.id })
    await harness.unsubscribe(deleted.id)
    await harness.run()
    await all(jobs.slice(0, 2), 'delivered')
    await all(jobs.slice(2), 'cancelled')
    const [signed] = await harness.receiver.waitFor(`${path}/0`, 1)
    expect(signed && verifySignature(signed, 'new')).toBe(true)
    const receipts = [0, 1, 2, 7].map((n) => harness.receiver.receipts(`${path}/${n}`).length)
    expect(receipts).toEqual([1, 0, 0, 1])
  })
})

it('moves with a partition: nothing is lost or repeated, and no old secret or URL is used', async () => {
  const subscriptions = await subscribeMany(24)
  const jobs = await enqueueEach(subscriptions)
  await all(jobs, 'delivered')
  const waiting = subscriptions.slice(0, 8)
  for (const one of waiting) await harness.subscribe(one.url, { ...one, active: false })
  const held = await enqueueEach(waiting)
  await all(held, 'paused')
  const joining = harness.start()
  jobs.push(...(await enqueueEach(subscriptions.slice(8))))
  await using _second = await joining
  // Endpoints belong to partitions, so the new URLs move the deliveries between the processes.
  const moved = waiting.map((one, n) => ({ ...one, url: url(100 + n) }))
  for (const one of moved) await harness.subscribe(one.url, { id: one.id }, ['new'])
  jobs.push(...(await enqueueEach(subscriptions.slice(8))))
  await all([...jobs, ...held], 'delivered')
  // The first one leaves, and the second one reads the states of all its partitions.
  await harness.stop()
  const last = await enqueueEach([...moved, ...subscriptions.slice(8)])
  await all(last, 'delivered')
  const receipts = [...Array(24).keys(), ...moved.map((_, n) => 100 + n)].flatMap((n) =>
    harness.receiver.receipts(`${path}/${n}`),
  )
  const received = receipts.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  const expected = [...jobs, ...held, ...last].map(({ eventId }) => eventId)
  expect(received.toSorted()).toEqual(expected.toSorted())
  for (const [n] of moved.entries()) {
    const signed = harness.receiver.receipts(`${path}/${100 + n}`)
    expect(signed.map((one) => verifySignature(one, 'new'))).toEqual([true, true])
  }
})
