import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { retryTopic } from '@surehook/contracts/topics'
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

const subscribe = (retryDelays: string[] | null, id: string = randomUUID()) =>
  harness.subscribe(harness.receiver.url(path), { id, policy: harness.policy(id, { retryDelays }) })
const gaps = () => {
  const times = harness.receiver.receipts(path).map(({ at }) => at)
  return times.slice(1).map((at, nth) => at - (times[nth] ?? 0))
}

it('a subscription has as many attempts, after such delays, as its schedule says', async () => {
  harness.receiver.answer(path, () => ({ status: 500 }))
  const job = await harness.enqueueOne(await subscribe(['400ms', '100ms']))
  await harness.settled(job.deliveryId, 'dead_letter')
  expect(gaps()).toHaveLength(2)
  expect(gaps()[0]).toBeGreaterThanOrEqual(400)
  expect(gaps()[1]).toBeGreaterThanOrEqual(100)
  expect(harness.transitionsOf(job.deliveryId).at(-1)).toMatchObject({ attempts: 3 })
})

it('a change applies to a delivery that waits already', async () => {
  harness.receiver.answer(path, () => ({ status: 500 }))
  const subscription = await subscribe(['1s', '1s', '1s'])
  const job = await harness.enqueueOne(subscription)
  await harness.settled(job.deliveryId, 'retrying')
  await subscribe(['1s'], subscription.id)
  await harness.settled(job.deliveryId, 'dead_letter')
  expect(harness.receiver.receipts(path)).toHaveLength(2)
})

it('an open circuit takes no attempt of a schedule', async () => {
  let isUp = false
  harness.receiver.answer(path, () => ({ status: isUp ? 204 : 500 }))
  const subscription = await subscribe(['100ms', '100ms', '100ms', '100ms', '100ms', '100ms'])
  const job = await harness.enqueueOne(subscription)
  // The fifth failure opens it.
  await harness.settled(job.deliveryId, 'paused')
  isUp = true
  await harness.settled(job.deliveryId, 'delivered')
  expect(harness.transitionsOf(job.deliveryId).at(-1)).toMatchObject({ attempts: 6 })
})

it('jobs that wait for hours stay on their topic and hold up nothing else of their partition', async () => {
  await harness.stop()
  const subscription = await subscribe(['8h', '8h'])
  const [waiting] = await harness.enqueue(subscription, 1)
  if (waiting === undefined) throw new Error('no job')
  // The same endpoint, so the same partition.
  const far = { ...waiting, attempt: 2, step: 1, arrival: 0, dueAt: Date.now() + 8 * 3_600_000 }
  for (let nth = 0; nth < 40; nth++) {
    await harness.send(retryTopic('8h'), { ...far, deliveryId: randomUUID() })
  }
  const seen = new Set<string>()
  harness.receiver.answer(path, ({ headers }, nth) => {
    const id = headers['webhook-id'] ?? ''
    const fails = nth % 3 === 0 && !seen.has(id)
    seen.add(id)
    return { status: fails ? 500 : 204 }
  })
  const short = await subscribe(['100ms', '200ms', '300ms'], subscription.id)
  await harness.run({ WEBHOOK_WINDOW: '10' })
  const jobs = await harness.enqueue(short, 30)
  for (const { deliveryId } of [waiting, ...jobs]) await harness.settled(deliveryId, 'delivered')
  const attempts = harness.receiver.receipts(path).length
  expect(attempts).toBeGreaterThan(jobs.length + 1)
  const used = { topic: retryTopic('8h') }
  expect(await harness.metric('surehook_kafka_consumer_window_use_ratio', used)).toBe(0)
})
