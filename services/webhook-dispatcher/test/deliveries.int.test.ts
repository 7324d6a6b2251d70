import { createHmac, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { deliveriesTopic, retryTopic } from '@surehook/contracts/topics'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import { type Harness, openHarness } from './support/harness.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

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

describe('a delivery', () => {
  it('is one signed POST with the headers of the contract, and is published as delivered', async () => {
    const subscription = await harness.subscribe(url, {}, ['s3cret'])
    const job = await harness.enqueueOne(subscription)
    const [receipt] = await harness.receiver.waitFor(path, 1)
    if (receipt === undefined) throw new Error('nothing came')
    expect(receipt.body).toBe(job.body.toString())
    expect(verifySignature(receipt, 's3cret')).toBe(true)
    expect(receipt.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': `Surehook/${version}`,
      'x-service-event': 'INSERT',
      'x-service-delivery': job.eventId,
      'webhook-id': job.webhookId,
    })
    const signed = `${job.webhookId}.${receipt.headers['webhook-timestamp']}.${receipt.body}`
    const expected = createHmac('sha256', 's3cret').update(signed).digest('base64')
    expect(receipt.headers['webhook-signature']).toBe(`v1,${expected}`)
    await harness.settled(job.deliveryId, 'delivered')
    expect(harness.transitionsOf(job.deliveryId)).toMatchObject([
      { status: 'delivered', attempts: 1, attempted: true, httpStatus: 204, errorClass: null },
    ])
  })

  it('is attempted five times with the same id and bytes, then is a dead letter', async () => {
    harness.receiver.answer(path, () => ({ status: 500, body: 'no' }))
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'dead_letter')
    const receipts = harness.receiver.receipts(path)
    expect(receipts).toHaveLength(5)
    expect(new Set(receipts.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receipts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const gaps = receipts.slice(1).map(({ at }, index) => at - (receipts[index]?.at ?? 0))
    ;[100, 200, 300, 400].forEach((delay, index) => {
      expect(gaps[index]).toBeGreaterThanOrEqual(delay)
    })
    expect(harness.transitionsOf(job.deliveryId)).toMatchObject([
      { status: 'retrying', attempts: 1, httpStatus: 500, errorClass: 'http', answer: 'no' },
      { status: 'retrying', attempts: 2 },
      { status: 'retrying', attempts: 3 },
      { status: 'retrying', attempts: 4 },
      { status: 'dead_letter', attempts: 5, nextAttemptAt: null },
    ])
  })

  it('is delivered from a retry topic whose delay is no longer configured', async () => {
    const former = retryTopic('150ms')
    await (await harness.start({ WEBHOOK_RETRY_DELAYS: '150ms' }))[Symbol.asyncDispose]()
    await harness.stop()
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription, former)
    await harness.run()
    await harness.settled(job.deliveryId, 'delivered')
  })

  it('is delivered once, however often the same job is written', async () => {
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    for (let i = 0; i < 3; i++) await harness.send(deliveriesTopic, job)
    await harness.enqueue(subscription)
    await harness.receiver.waitFor(path, 2)
    expect(harness.bodies(path).filter(({ id }) => id === job.eventId)).toHaveLength(1)
  })

  it('is delivered once, even if the repetition comes after a restart', async () => {
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'delivered')
    await harness.stop()
    await harness.send(deliveriesTopic, job)
    await harness.run()
    await harness.enqueue(subscription)
    await harness.receiver.waitFor(path, 2)
    expect(harness.bodies(path).filter(({ id }) => id === job.eventId)).toHaveLength(1)
  })

  it.each([
    ['an answer that does not come', 'hang' as const, 'timeout'],
    ['a connection that is closed', 'reset' as const, 'refused'],
    ['a redirect, which is not followed', { status: 302, headers: { location: '/x' } }, 'http'],
  ])('fails with a class of error for %s', async (_what, answer, errorClass) => {
    await harness.run({ WEBHOOK_TIMEOUT: '1s' })
    harness.receiver.answer(path, (_receipt, nth) => (nth === 1 ? answer : { status: 200 }))
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'delivered')
    expect(harness.transitionsOf(job.deliveryId)[0]).toMatchObject({
      status: 'retrying',
      errorClass,
    })
  })

  it.each([
    ['refused', 'https://localhost:1/x', 'refused'],
    ['unknown host', 'https://nobody.invalid/x', 'dns'],
    ['a private address', 'https://10.0.0.1/x', 'ssrf_blocked'],
    ['the metadata address', 'https://169.254.169.254/latest', 'ssrf_blocked'],
    ['a mapped literal', 'https://[::ffff:10.0.0.1]/x', 'ssrf_blocked'],
  ])('is a dead letter when its endpoint is %s', async (_what, badUrl, errorClass) => {
    const subscription = await harness.subscribe(badUrl)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'dead_letter')
    expect(harness.transitionsOf(job.deliveryId).at(-1)).toMatchObject({ errorClass, attempts: 5 })
  })

  it('trusts only the roots it was given', async () => {
    await harness.run({ WEBHOOK_EXTRA_CA_FILE: '' })
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'dead_letter')
    expect(harness.transitionsOf(job.deliveryId)[0]).toMatchObject({ errorClass: 'tls' })
    expect(harness.receiver.receipts(path)).toHaveLength(0)
  })

  it('keeps 4 KiB of a long answer and delivers all the same', async () => {
    harness.receiver.answer(path, () => ({ status: 200, body: 'x'.repeat(100_000) }))
    const subscription = await harness.subscribe(url)
    const job = await harness.enqueueOne(subscription)
    await harness.settled(job.deliveryId, 'delivered')
    expect(harness.transitionsOf(job.deliveryId)[0]?.answer).toBe('x'.repeat(4_096))
  })

  it('in the order of arrival', async () => {
    const subscription = await harness.subscribe(url)
    await harness.stop()
    await harness.enqueue(subscription, 200)
    await harness.run({ WEBHOOK_ENDPOINT_CONCURRENCY: '1' })
    await harness.receiver.waitFor(path, 200)
    expect(harness.bodies(path).map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })
})
