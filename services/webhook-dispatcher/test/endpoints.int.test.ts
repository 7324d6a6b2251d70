import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { deliveriesTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import { until } from '@surehook/testing/until'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness
let path: string
let url: string

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  path = `/${randomUUID()}`
  url = harness.receiver.url(path)
  await harness.run()
})

describe('the circuit of an endpoint', () => {
  it('opens on the fifth consecutive failure, holds everything, then delivers all in order', async () => {
    harness.receiver.answer(path, (_receipt, nth) => ({ status: nth <= 5 ? 503 : 200 }))
    const subscription = await harness.subscribe(url)
    await harness.stop()
    const jobs = await harness.enqueue(subscription, 40)
    await harness.run({ WEBHOOK_ENDPOINT_CONCURRENCY: '1' })
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'delivered'))
    expect(jobs.some(({ deliveryId }) => harness.statusesOf(deliveryId).includes('paused'))).toBe(
      true,
    )
    const receipts = harness.receiver.receipts(path)
    expect(receipts).toHaveLength(45)
    const [fifth, sixth] = [receipts[4]?.at ?? 0, receipts[5]?.at ?? 0]
    expect(sixth - fifth).toBeGreaterThanOrEqual(1_950)
    expect(
      harness
        .bodies(path)
        .slice(5)
        .map(({ n }) => n),
    ).toEqual(jobs.map((_, n) => n))
  })

  it('stays closed after four', async () => {
    harness.receiver.answer(path, (_receipt, nth) => ({ status: nth <= 4 ? 500 : 200 }))
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'delivered')
    expect(harness.statusesOf(job.deliveryId)).toEqual([
      ...Array.from({ length: 4 }, () => 'retrying'),
      'delivered',
    ])
  })

  it('belongs to one endpoint: others continue', async () => {
    harness.receiver.answer(path, () => ({ status: 500 }))
    const failing = await harness.subscribe(url)
    const healthy = await harness.subscribe(harness.receiver.url(`${path}/ok`))
    const jobs = await harness.enqueue(failing, 10)
    await until(() => jobs.some(({ deliveryId }) => harness.statusOf(deliveryId) === 'paused'))
    await harness.enqueue(healthy, 20)
    await harness.receiver.waitFor(`${path}/ok`, 20)
  })

  it('is still open after a restart', async () => {
    harness.receiver.answer(path, () => ({ status: 500 }))
    const subscription = await harness.subscribe(url)
    const jobs = await harness.enqueue(subscription, 6)
    await until(() => jobs.some(({ deliveryId }) => harness.statusOf(deliveryId) === 'paused'))
    await harness.stop()
    const before = harness.receiver.receipts(path).length
    harness.receiver.answer(path, () => ({ status: 200 }))
    await harness.run({ WEBHOOK_CIRCUIT_COOLDOWN: '2s' })
    const openedAt = harness.receiver.receipts(path)[4]?.at ?? 0
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'delivered'))
    const next = harness.receiver.receipts(path)[before]
    expect((next?.at ?? 0) - openedAt).toBeGreaterThanOrEqual(1_950)
  })
})

describe('a subscription that changes', () => {
  it('holds its deliveries while it is inactive, and then releases them in order', async () => {
    const subscription = await harness.subscribe(url, { active: false })
    const jobs = await harness.enqueue(subscription, 30)
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'paused'))
    expect(harness.receiver.receipts(path)).toHaveLength(0)
    await harness.subscribe(url, { ...subscription, active: true })
    await harness.receiver.waitFor(path, 30)
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'delivered'))
  })

  it('holds its deliveries while its state cannot be read, also after a restart', async () => {
    const subscription = await harness.subscribe(url)
    const { id } = subscription
    const unreadable = [{ topic: subscriptionsTopic, key: id, value: Buffer.from('not avro') }]
    // Until it has read the unreadable state, it would deliver by the first one.
    await harness.stop()
    await harness.producer.send(unreadable)
    await harness.run()
    const jobs = await harness.enqueue(subscription, 5)
    const all = (status: string) =>
      until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === status))
    await all('paused')
    await harness.stop()
    await harness.run()
    const late = await harness.enqueueOne(subscription)
    await harness.settled(late.deliveryId, 'paused')
    expect(harness.receiver.receipts(path)).toEqual([])
    // One at a time, because of two in flight the later one may arrive first.
    await harness.subscribe(url, { id, policy: harness.policy(id, { concurrency: 1 }) })
    jobs.push(late)
    await all('delivered')
    expect(harness.bodies(path).map(({ id: eventId }) => eventId)).toEqual(
      jobs.map(({ eventId }) => eventId),
    )
  })

  it('cancels its deliveries when it is deleted', async () => {
    const subscription = await harness.subscribe(url, { active: false })
    const jobs = await harness.enqueue(subscription, 5)
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'paused'))
    await harness.unsubscribe(subscription.id)
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'cancelled'))
    expect(harness.receiver.receipts(path)).toHaveLength(0)
  })

  it('delivers pending deliveries to its new URL', async () => {
    const subscription = await harness.subscribe(url, { active: false })
    await harness.enqueue(subscription, 5)
    const moved = `${path}/moved`
    await harness.subscribe(url, {
      ...subscription,
      url: harness.receiver.url(moved),
      active: true,
    })
    await harness.receiver.waitFor(moved, 5)
    expect(harness.receiver.receipts(path)).toHaveLength(0)
  })

  it('signs each attempt with the secrets of that moment', async () => {
    harness.receiver.answer(path, (_receipt, nth) => ({ status: nth === 1 ? 500 : 200 }))
    const subscription = await harness.subscribe(url, {}, ['old'])
    await harness.enqueue(subscription)
    await harness.receiver.waitFor(path, 1)
    await harness.subscribe(url, { id: subscription.id }, ['new', 'old'])
    const [first, second] = await harness.receiver.waitFor(path, 2)
    expect(first && verifySignature(first, 'old')).toBe(true)
    expect(second && verifySignature(second, 'new')).toBe(true)
    expect(second?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  })
})

describe('an endpoint that hangs', () => {
  it('keeps no other endpoint waiting, and loses nothing', async () => {
    await harness.run({ WEBHOOK_TIMEOUT: '60s' })
    const answers = Promise.withResolvers<void>()
    harness.receiver.answer(path, async () => {
      await answers.promise
      return { status: 200 }
    })
    const hanging = await harness.subscribe(url)
    const jobs = await harness.enqueue(hanging, 1_500)
    await harness.receiver.waitFor(path, 1)
    const healthy = await harness.subscribe(harness.receiver.url(`${path}/ok`))
    for (let round = 1; round <= 10; round++) {
      await harness.enqueue(healthy, 10)
      await harness.receiver.waitFor(`${path}/ok`, round * 10)
    }
    // No attempt of the hanging endpoint has ended yet, so no delivery waited for it.
    expect(harness.receiver.receipts(path).length).toBeLessThanOrEqual(32)
    answers.resolve()
    await until(
      () => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'delivered'),
      { timeoutMs: 300_000 },
    )
  })
})

describe('a delivery that cannot be signed', () => {
  it('delays no other, and is sent once its secret is readable', async () => {
    const broken = await harness.subscribe(url, {
      secrets: [{ ciphertext: 'v1.sealed.under.another-key', validUntil: null }],
    })
    const jobs = await harness.enqueue(broken, 100)
    const healthy = await harness.subscribe(url)
    await harness.enqueue(healthy, 10)
    await harness.receiver.waitFor(path, 10)
    await harness.subscribe(url, { id: broken.id })
    await until(() => jobs.every(({ deliveryId }) => harness.statusOf(deliveryId) === 'delivered'))
    expect(new Set(harness.bodies(path).map(({ id }) => id)).size).toBe(110)
    expect(harness.bodies(path).length).toBe(110)
  })
})

describe('a subscription with a replaced secret that cannot be read', () => {
  it('is delivered to, signed with the current one', async () => {
    const subscription = await harness.subscribe(url)
    const lost = { ciphertext: 'v1.sealed.under.another-key', validUntil: '2026-01-01T00:00:00Z' }
    const secrets = [...subscription.secrets, lost]
    await harness.subscribe(url, { ...subscription, secrets })
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'delivered')
  })
})

describe('a message that is no job', () => {
  it('is refused and delays nothing', async () => {
    const subscription = await harness.subscribe(url)
    const garbage = [Buffer.from('not avro'), Buffer.alloc(0), null]
    await harness.producer.send(
      Array.from({ length: 24 }, (_, n) => ({
        topic: deliveriesTopic,
        key: `key-${n}`,
        value: garbage[n % garbage.length] ?? null,
      })),
    )
    await harness.enqueue(subscription)
    await harness.receiver.waitFor(path, 1)
  })
})
