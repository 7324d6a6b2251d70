import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { until } from '@surehook/testing/until'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness[Symbol.asyncDispose]())

it('repeats no attempt that takes 3 s while a second dispatcher joins', async () => {
  const { receiver } = harness
  const paths = Array.from({ length: 8 }, () => `/${randomUUID()}`)
  for (const path of paths) receiver.answer(path, () => ({ status: 200, delayMs: 3_000 }))
  const subscriptions = await Promise.all(
    paths.map((path) => harness.subscribe(receiver.url(path))),
  )
  const env = { WEBHOOK_TIMEOUT: '7s' }
  await using _first = await harness.start(env)
  const jobs: DeliveryJob[] = []
  const enqueue = async () => {
    for (const subscription of subscriptions) jobs.push(await harness.enqueueOne(subscription))
  }
  await enqueue()
  await receiver.waitFor(paths[0] ?? '', 1)
  // At every moment of the join, some attempts have just begun.
  const joining = harness.start(env)
  const joined = settled(joining)
  while (!joined()) {
    await enqueue()
    await until(moment(joined))
  }
  await using _second = await joining
  await until(() => jobs.every(isDelivered), { timeoutMs: 40_000 })
  const events = paths.flatMap((path) =>
    receiver.receipts(path).map(({ body }) => (JSON.parse(body) as { id: string }).id),
  )
  expect(events.toSorted()).toEqual(jobs.map(({ eventId }) => eventId).toSorted())
})

const isDelivered = ({ deliveryId }: DeliveryJob) =>
  harness.transitionsOf(deliveryId).at(-1)?.status === 'delivered'

function settled(work: Promise<unknown>): () => boolean {
  let is = false
  const settle = () => {
    is = true
  }
  work.then(settle, settle)
  return () => is
}

/** Returns true once `condition` is true, and after 300 ms in any case. */
function moment(condition: () => boolean): () => boolean {
  const over = Date.now() + 300
  return () => condition() || Date.now() >= over
}
