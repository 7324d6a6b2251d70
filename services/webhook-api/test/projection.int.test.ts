import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryAttempt, DeliveryJob, InvalidMessage } from '@surehook/contracts/events'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic, invalidTopic } from '@surehook/contracts/topics'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { until } from '@surehook/testing/until'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { log, openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let client: WebhooksClient
let subscriptionId: string
let refused: TopicView
const invalid: InvalidMessage[] = []

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  refused = await openTopicView<InvalidMessage>({
    kafka: world.kafka,
    codec: { ofTopic: () => world.codec.invalid },
    clientId: 'test-invalid',
    topics: [invalidTopic(deliveriesTopic), invalidTopic(attemptsTopic)],
    apply: (_topic, _key, value) => void (value !== null && invalid.push(value)),
    log,
  })
})
afterAll(async () => {
  await refused?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  const tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  subscriptionId = (await client.call('POST', validInput(tenant))).body.id
})

const sendRaw = (topic: string, key: string, value: Buffer | null) =>
  world.producer.send([{ topic, key, value }])
const sendJob = (job: DeliveryJob) => sendRaw(deliveriesTopic, job.url, world.codec.job.encode(job))
const sendMove = (transition: DeliveryAttempt) =>
  sendRaw(attemptsTopic, transition.deliveryId, world.codec.attempt.encode(transition))
const byText = (a: readonly string[], b: readonly string[]) => (String(a) < String(b) ? -1 : 1)
const deliveries = async () => (await client.get(subscriptionId)).body.deliveries

async function untilShown(fields: object): Promise<void> {
  const isShown = async () => {
    const shown = (await deliveries())[0] ?? {}
    return Object.entries(fields).every(([name, value]) => Reflect.get(shown, name) === value)
  }
  await until(isShown, { what: `delivery ${JSON.stringify(fields)}`, timeoutMs: 20_000 })
}

describe('GET /_webhooks/{id}', () => {
  it('follows a delivery from the topics, with the fields of the specification', async () => {
    const deliveryId = randomUUID()
    const createdAt = Date.now()
    const own = { deliveryId, subscriptionId, createdAt }
    await sendJob(aJob(own))
    await untilShown({ id: deliveryId, status: 'pending', attempts: 0 })
    const nextAttemptAt = createdAt + 1_000
    const failed = { httpStatus: 500, errorClass: 'http', nextAttemptAt } as const
    await sendMove(anAttempt({ ...own, ...failed, status: 'retrying' }))
    await untilShown({ status: 'retrying' })
    expect(await deliveries()).toEqual([
      {
        id: deliveryId,
        eventId: aJob().eventId,
        status: 'retrying',
        httpStatus: 500,
        attempts: 1,
        createdAt: new Date(createdAt).toISOString(),
        lastError: 'http',
        nextAttemptAt: new Date(nextAttemptAt).toISOString(),
        redeliveryOf: null,
      },
    ])
    const lost = { httpStatus: null, errorClass: 'timeout' } as const
    await sendMove(anAttempt({ ...own, ...lost, status: 'dead_letter', step: 5, attempts: 5 }))
    await untilShown({ status: 'dead_letter', attempts: 5, httpStatus: null, lastError: 'timeout' })
  })

  it('shows the newest 50 deliveries, the newest first', async () => {
    const createdAt = Date.now()
    const ids = Array.from({ length: 60 }, () => randomUUID())
    for (const [n, deliveryId] of ids.entries()) {
      await sendJob(aJob({ deliveryId, subscriptionId, createdAt: createdAt + n }))
    }
    await untilShown({ id: ids.at(-1) })
    await until(async () => (await deliveries()).length === 50, { what: '50 deliveries' })
    expect((await deliveries()).map(({ id }) => id)).toEqual(ids.slice(10).reverse())
  })
})

describe('an unreadable message', () => {
  it('goes to the invalid topic with the reason, and the partition moves on', async () => {
    const deliveryId = randomUUID()
    const own = { deliveryId, subscriptionId, createdAt: Date.now() }
    const marker = randomUUID()
    // One key puts all of them on the same partition, in this order.
    const key = aJob().url
    await sendRaw(deliveriesTopic, key, Buffer.from(`no avro ${marker}`))
    await sendRaw(deliveriesTopic, key, null)
    await sendJob(aJob({ ...own, deliveryId: `no uuid ${marker}` }))
    await sendJob(aJob({ ...own, createdAt: 0 }))
    await sendRaw(attemptsTopic, deliveryId, Buffer.from(`no avro ${marker}`))
    await sendMove(anAttempt({ ...own, status: `lost ${marker}` as 'pending' }))

    await sendJob(aJob(own))
    await sendMove(anAttempt(own))
    await untilShown({ id: deliveryId, status: 'delivered' })

    await refused.barrier()
    const mine = invalid.filter(({ value }) => value?.includes(marker))
    expect(
      mine
        .map(({ topic, reason, refusedBy }) => [topic, reason.slice(0, 30), refusedBy])
        .toSorted(byText),
    ).toEqual([
      [attemptsTopic, 'Not in the Confluent wire form', 'webhook-api'],
      [attemptsTopic, 'status: unknown "lost ' + marker.slice(0, 8), 'webhook-api'],
      [deliveriesTopic, 'Not in the Confluent wire form', 'webhook-api'],
      [deliveriesTopic, 'deliveryId: no UUID', 'webhook-api'],
    ])
  })
})

describe('a second replica', () => {
  it('shares the work, and takes over when the first replica ends', async () => {
    await using second = await world.startService()
    const tenant = await world.tenant()
    const there = clientOf(second.api, tenant)
    const { body } = await there.call('POST', validInput(tenant))
    expect((await world.subscriptionStates()).has(body.id)).toBe(true)

    await service[Symbol.asyncDispose]()
    const patched = await waitForOk(() => there.call(`PATCH /${body.id}`, { active: false }))
    expect(patched.body.active).toBe(false)
    expect((await world.subscriptionStates()).get(body.id)?.active).toBe(false)
    const deliveryId = randomUUID()
    await sendJob(aJob({ deliveryId, subscriptionId: body.id, createdAt: Date.now() }))
    const isShown = async () => (await there.get(body.id)).body.deliveries[0]?.id === deliveryId
    await until(isShown, { what: 'the delivery' })
  })
})

/** Retries writes, which may get 503 while the replication slot changes hands. */
async function waitForOk<T extends { status: number }>(request: () => Promise<T>): Promise<T> {
  let answer = await request()
  const isOk = async () => {
    if (answer.status === 503) answer = await request()
    return answer.status === 200
  }
  await until(isOk, { what: 'an answer' })
  return answer
}
