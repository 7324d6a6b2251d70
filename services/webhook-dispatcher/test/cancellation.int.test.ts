import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
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
  // The dispatcher reads the request to cancel before the second attempt ends.
  harness.receiver.answer(path, (_receipt, nth) => ({
    status: 500,
    delayMs: nth === 2 ? 3_000 : 0,
  }))
  const subscription = await harness.subscribe(url)
  const { deliveryId } = await harness.enqueueOne(subscription)
  await harness.receiver.waitFor(path, 2)
  const askedAt = Date.now()
  const cancellations = [{ status: 'retrying' as const, until: askedAt, askedAt }]
  await harness.subscribe(url, { ...subscription, cancellations })
  await harness.settled(deliveryId, 'cancelled')
  expect(harness.transitionsOf(deliveryId)).toMatchObject([
    { status: 'retrying', attempts: 1, attempted: true },
    { status: 'cancelled', attempts: 2, attempted: true, httpStatus: 500, nextAttemptAt: null },
  ])
  expect(harness.receiver.receipts(path)).toHaveLength(2)
})
