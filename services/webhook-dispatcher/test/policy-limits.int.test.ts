import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { until } from '@surehook/testing/until'
import { type Harness, openHarness, type PolicyOf } from './support/harness.ts'

let harness: Harness

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness[Symbol.asyncDispose]())

const subscribe = (path: string, policy: PolicyOf, more: { projectId?: string } = {}) => {
  const id = randomUUID()
  const url = harness.receiver.url(path)
  return harness.subscribe(url, { id, policy: harness.policy(id, policy), ...more })
}
const delivered = ({ deliveryId }: DeliveryJob) =>
  harness.transitionsOf(deliveryId).at(-1)?.status === 'delivered'

const partition = (projectId: string, path: string) =>
  partitionOf(endpointId({ projectId, environment: 'master', url: harness.receiver.url(path) }), 4)

/** Returns a path whose endpoint has this partition. */
function pathAt(projectId: string, wanted: number): string {
  for (;;) {
    const path = `/${randomUUID()}`
    if (partition(projectId, path) === wanted) return path
  }
}

/** Returns the most requests that came within any span of `ms`. */
const mostWithin = (path: string, ms: number) => {
  const times = harness.receiver.receipts(path).map(({ at }) => at)
  return Math.max(
    ...times.map((at) => times.filter((other) => other >= at && other < at + ms).length),
  )
}

it('a subscription says how many of its own attempts are in flight', async () => {
  const path = `/${randomUUID()}`
  const now = new Map<string, number>()
  const most = new Map<string, number>()
  harness.receiver.answer(path, ({ headers }) => {
    const from = headers['x-from'] ?? ''
    const count = (now.get(from) ?? 0) + 1
    now.set(from, count)
    most.set(from, Math.max(most.get(from) ?? 0, count))
    setTimeout(() => now.set(from, (now.get(from) ?? 0) - 1), 20)
    return { status: 204, delayMs: 20 }
  })
  const strict = await subscribe(path, { concurrency: 2, headers: { 'x-from': 'strict' } })
  const loose = await subscribe(path, { concurrency: 20, headers: { 'x-from': 'loose' } })
  await using _dispatcher = await harness.start()
  const jobs = [...(await harness.enqueue(strict, 20)), ...(await harness.enqueue(loose, 100))]
  await until(() => jobs.every(delivered))
  expect(most.get('strict')).toBe(2)
  expect(most.get('loose')).toBeGreaterThan(2)
})

it('the rate of a subscription does not slow another one to the same URL', async () => {
  const path = `/${randomUUID()}`
  const slow = await subscribe(path, { perSecond: 0.1 })
  const other = await subscribe(path, {})
  await using _dispatcher = await harness.start()
  await harness.enqueue(slow, 20)
  const jobs = await harness.enqueue(other, 100)
  await until(() => jobs.every(delivered))
  await harness.unsubscribe(slow.id)
})

it('a slow endpoint of a partition does not hold up its neighbours', async () => {
  const path = `/${randomUUID()}`
  const slow = await subscribe(path, { perSecond: 0.1 })
  const beside = pathAt(slow.projectId, partition(slow.projectId, path))
  const neighbour = await harness.subscribe(harness.receiver.url(beside))
  await using _dispatcher = await harness.start({ WEBHOOK_WINDOW: '20' })
  await harness.enqueue(slow, 100)
  const jobs = await harness.enqueue(neighbour, 100)
  await until(() => jobs.every(delivered))
  expect(harness.receiver.receipts(path).length).toBeLessThan(10)
  // The next owner of the partition must find no job.
  await harness.unsubscribe(slow.id)
})

it('a rate is kept while the partition moves from one dispatcher to another, twice', async () => {
  const perSecond = 5
  const path = `/${randomUUID()}`
  // Jobs come one at a time. Jobs that wait for a connection would start together.
  const subscription = await subscribe(path, { perSecond, concurrency: 1 })
  const first = await harness.start()
  const jobs = await harness.enqueue(subscription, 60)
  await harness.receiver.waitFor(path, 10)
  const second = await harness.start()
  await harness.receiver.waitFor(path, 25)
  await first[Symbol.asyncDispose]()
  await harness.receiver.waitFor(path, 40, 30_000)
  await second[Symbol.asyncDispose]()
  await using _third = await harness.start()
  await until(() => jobs.every(delivered), { timeoutMs: 60_000 })
  expect(harness.receiver.receipts(path)).toHaveLength(60)
  // A request that opens a connection comes late, and the next one follows right behind it.
  expect(mostWithin(path, 1_000)).toBeLessThanOrEqual(perSecond + 2)
  expect(mostWithin(path, 5_000)).toBeLessThanOrEqual(5 * perSecond + 2)
})
