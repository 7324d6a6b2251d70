import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import { until } from '@surehook/testing/until'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness
let dispatcher: AsyncDisposable

beforeAll(async () => {
  harness = await openHarness()
  dispatcher = await harness.start()
})
afterAll(async () => {
  await dispatcher?.[Symbol.asyncDispose]()
  await harness?.[Symbol.asyncDispose]()
})

it('a retry in flight that fails is recorded, and is the last one', async () => {
  const path = `/${randomUUID()}`
  const url = harness.receiver.url(path)
  const known = Promise.withResolvers<void>()
  harness.receiver.answer(path, async (_receipt, nth) => {
    if (nth === 2) await known.promise
    return { status: nth > 2 ? 204 : 500 }
  })
  const subscription = await harness.subscribe(url)
  const { id } = subscription
  const { deliveryId } = await harness.enqueueOne(subscription)
  await harness.receiver.waitFor(path, 2)
  const askedAt = Date.now()
  const cancellations = [{ status: 'retrying' as const, until: askedAt, askedAt }]
  const changed = await harness.subscribe(url, { id, cancellations }, ['new'])
  // The new secret shows that the dispatcher has read the state.
  await until(async () => {
    const later = await harness.enqueueOne(changed)
    await harness.settled(later.deliveryId, 'delivered')
    const receipt = harness.receiver.receipts(path).at(-1)
    return receipt !== undefined && verifySignature(receipt, 'new')
  })
  known.resolve()
  await harness.settled(deliveryId, 'cancelled')
  expect(harness.transitionsOf(deliveryId)).toMatchObject([
    { status: 'retrying', attempts: 1, attempted: true },
    { status: 'cancelled', attempts: 2, attempted: true, httpStatus: 500, nextAttemptAt: null },
  ])
})
