import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness
let path: string

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  path = `/${randomUUID()}`
  await start()
})

// The ladder ends at 400 ms, so longer waits take more than one step.
const start = () => harness.run({ WEBHOOK_RETRY_LADDER: '100ms,200ms,300ms,400ms' })
const subscribe = (retryAfter: boolean) => {
  const id = randomUUID()
  const policy = harness.policy(id, { retryAfter })
  return harness.subscribe(harness.receiver.url(path), { id, policy })
}
const asks = (seconds: number) =>
  harness.receiver.answer(path, (_receipt, nth) =>
    nth === 1 ? { status: 503, headers: { 'retry-after': String(seconds) } } : { status: 204 },
  )
const gap = () => {
  const [first, second] = harness.receiver.receipts(path)
  return (second?.at ?? 0) - (first?.at ?? 0)
}

it('a receiver that asks for it is not called before, over all steps of the ladder', async () => {
  asks(2)
  const job = await harness.enqueueOne(await subscribe(true))
  await harness.settled(job.deliveryId, 'delivered')
  expect(gap()).toBeGreaterThanOrEqual(2_000)
  const [failed, delivered] = harness.transitionsOf(job.deliveryId)
  expect(failed).toMatchObject({ status: 'retrying', attempts: 1, httpStatus: 503 })
  expect((failed?.nextAttemptAt ?? 0) - (failed?.at ?? 0)).toBeGreaterThan(1_900)
  expect(delivered).toMatchObject({ status: 'delivered', attempts: 2 })
})

it('the wait is kept over a restart', async () => {
  asks(3)
  const job = await harness.enqueueOne(await subscribe(true))
  await harness.settled(job.deliveryId, 'retrying')
  await harness.stop()
  await start()
  await harness.settled(job.deliveryId, 'delivered')
  expect(gap()).toBeGreaterThanOrEqual(3_000)
})

it('without the policy the delays count alone', async () => {
  asks(600)
  const job = await harness.enqueueOne(await subscribe(false))
  await harness.settled(job.deliveryId, 'delivered')
  expect(gap()).toBeLessThan(600_000)
})
