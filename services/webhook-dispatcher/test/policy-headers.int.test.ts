import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { SubscriptionState } from '@surehook/contracts/events'
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

const value = 'Bearer value-of-mine'
const subscribe = (headers: Record<string, string>, change: Partial<SubscriptionState> = {}) => {
  const id = change.id ?? randomUUID()
  return harness.subscribe(harness.receiver.url(path), {
    ...change,
    id,
    policy: harness.policy(id, { headers }),
  })
}

it('every attempt has the headers of its moment, ours among them as ever', async () => {
  const subscription = await subscribe({ Authorization: value, 'X-Route': 'blue' })
  harness.receiver.answer(path, (_receipt, nth) => ({ status: nth === 1 ? 500 : 204 }))
  const job = await harness.enqueueOne(subscription)
  await harness.settled(job.deliveryId, 'delivered')
  const receipts = harness.receiver.receipts(path)
  expect(receipts.map(({ headers }) => headers['authorization'])).toEqual([value, value])
  expect(receipts[0]?.headers).toMatchObject({
    'x-route': 'blue',
    'content-type': 'application/json',
    'x-service-delivery': job.eventId,
  })
  await subscribe({ 'X-Route': 'green' }, { id: subscription.id })
  // The dispatcher learns of it beside the deliveries.
  let last: IncomingHttpHeaders | undefined
  await until(async () => {
    const { deliveryId, eventId } = await harness.enqueueOne(subscription)
    await harness.settled(deliveryId, 'delivered')
    const received = harness.receiver.receipts(path)
    last = received.find(({ headers }) => headers['x-service-delivery'] === eventId)?.headers
    return last?.['x-route'] === 'green'
  })
  expect(last?.['authorization']).toBeUndefined()
})

it('an answer that echoes a value is stored without it', async () => {
  const subscription = await subscribe({ Authorization: value })
  harness.receiver.answer(path, ({ headers }) => ({
    status: 200,
    body: JSON.stringify({ got: headers['authorization'] }),
  }))
  const job = await harness.enqueueOne(subscription)
  await harness.settled(job.deliveryId, 'delivered')
  expect(harness.transitionsOf(job.deliveryId)[0]?.answer).toBe('{"got":"***"}')
})

it('a redirect is not followed, so nobody else gets them', async () => {
  const other = `/${randomUUID()}`
  const location = harness.receiver.url(other)
  harness.receiver.answer(path, () => ({ status: 307, headers: { location } }))
  const job = await harness.enqueueOne(await subscribe({ Authorization: value }))
  await harness.settled(job.deliveryId, 'dead_letter')
  expect(harness.receiver.receipts(other)).toEqual([])
})

it('deliveries wait while the headers cannot be read', async () => {
  const id = randomUUID()
  const lost = { names: ['a'], ciphertext: 'v1.sealed.under.another-key' }
  const policy = { ...harness.policy(id, {}), headers: lost }
  const subscription = await harness.subscribe(harness.receiver.url(path), { id, policy })
  const job = await harness.enqueueOne(subscription)
  await harness.settled(job.deliveryId, 'paused')
  await subscribe({ 'X-Route': 'blue' }, { id })
  await harness.settled(job.deliveryId, 'delivered')
})
