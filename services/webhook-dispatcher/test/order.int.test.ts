import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { pausedTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { until } from '@surehook/testing/until'
import { pino } from 'pino'
import { type Harness, openHarness } from './support/harness.ts'

let harness: Harness

beforeAll(async () => {
  harness = await openHarness()
})
afterAll(async () => harness?.[Symbol.asyncDispose]())

/** More than one fetch returns: a new owner reads these before it continues. */
const before = 2_000
const crowd = 300
const env = { WEBHOOK_WINDOW: '60', WEBHOOK_ENDPOINT_CONCURRENCY: '1' }

async function pausedSoFar(): Promise<number> {
  const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',')
  const kafka = createKafka({ brokers, clientId: 'order-test', log: pino({ level: 'silent' }) })
  const admin = kafka.admin()
  await admin.connect()
  try {
    const ends = await admin.fetchTopicOffsets(pausedTopic)
    return ends.reduce((sum, { high }) => sum + Number(high), 0)
  } finally {
    await admin.disconnect()
  }
}

it('keeps first attempts in order of arrival when a dispatcher takes over paused deliveries', async () => {
  const path = `/${randomUUID()}`
  const { receiver } = harness
  const subscription = await harness.subscribe(receiver.url(path))
  const numbers = () =>
    receiver.receipts(path).map(({ body }) => (JSON.parse(body) as { n: number }).n)
  let dispatcher = await harness.start({ ...env, WEBHOOK_ENDPOINT_CONCURRENCY: '32' })
  await harness.enqueue(subscription, before, { bytes: 4_000 })
  await receiver.waitFor(path, before)
  await dispatcher[Symbol.asyncDispose]()
  receiver.forget(path)
  // So slow that a slow machine, too, pauses deliveries before it makes room for them.
  let delayMs = 4_000
  receiver.answer(path, () => ({ status: 200, delayMs }))
  const had = await pausedSoFar()
  dispatcher = await harness.start(env)
  await harness.enqueue(subscription, crowd)
  // Deliveries without room are paused, and the first of them wait in memory.
  await until(async () => (await pausedSoFar()) - had >= crowd / 2, { what: 'most are paused' })
  await dispatcher[Symbol.asyncDispose]()
  delayMs = 10
  await using _next = await harness.start(env)
  await until(() => new Set(numbers()).size === crowd, { timeoutMs: 90_000 })
  expect([...new Set(numbers())]).toEqual(Array.from({ length: crowd }, (_, n) => n))
})
