import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryStatus } from '@surehook/contracts/events'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { LogSpan } from '@surehook/kafka/readers/log-reader'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { runDisableFailing } from '../src/failing/disable-failing.ts'
import { hasReadAll } from '../src/failing/log-progress.ts'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { publishAttempts } from './support/publish-attempts.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const disableAfterMs = 60_000

let world: World
let service: Running
let pool: Pool
let tenant: Tenant
let client: WebhooksClient

beforeAll(async () => {
  world = await openWorld()
  // The tests look for failing subscriptions themselves.
  service = await world.startService({ disableAfterMs: 0 })
  pool = world.pool
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const subscribe = async (): Promise<string> =>
  (await client.call('POST', validInput(tenant))).body.id
const isActive = async (id: string) => (await client.get(id)).body.webhook.active

const attempted = (id: string, ...attempts: [agoMs: number, status: DeliveryStatus][]) =>
  publishAttempts({ world, tenant, client }, id, attempts)

function lookForFailing(isRead: () => Promise<boolean>): AsyncDisposable {
  return runDisableFailing({
    ...{ pool, historyPool: world.historyPool },
    writer: { write: (work) => inTransaction(pool, (tx) => work(tx, async () => undefined)) },
    hasReadAll: isRead,
    disableAfterMs,
    lookEveryMs: 10,
    log,
    metrics: createMetrics('test'),
  })
}

describe('a subscription that seems to fail', () => {
  it('stays active while the log has unread attempts', async () => {
    const id = await subscribe()
    await attempted(id, [disableAfterMs + 5_000, 'retrying'], [1_000, 'dead_letter'])
    let asked = 0
    let isRead = false
    await using _looking = lookForFailing(async () => {
      asked += 1
      return isRead
    })
    const hasAsked = async () => asked > 2
    await until(hasAsked, { what: 'some looks' })
    expect(await isActive(id)).toBe(true)
    isRead = true
    const isDisabled = async () => !(await isActive(id))
    await until(isDisabled, { what: 'the deactivation' })
  })

  it('is not deactivated by old failures that are read again', async () => {
    const mended = await subscribe()
    const canary = await subscribe()
    await client.call(`PATCH /${mended}`, { active: true })
    await attempted(mended, [disableAfterMs + 9_000, 'retrying'], [disableAfterMs, 'dead_letter'])
    await attempted(mended, [0, 'retrying'])
    await attempted(canary, [disableAfterMs + 8_000, 'retrying'], [1_000, 'dead_letter'])
    await using _looking = lookForFailing(async () => true)
    const isDisabled = async () => !(await isActive(canary))
    await until(isDisabled, { what: 'the deactivation' })
    expect(await isActive(mended)).toBe(true)
  })

  it('leaves no record once it is deleted', async () => {
    const id = await subscribe()
    await attempted(id, [1_000, 'retrying'])
    await client.call(`DELETE /${id}`)
    const other = await subscribe()
    const late = anAttempt({ ...tenant, deliveryId: randomUUID(), subscriptionId: id })
    const createdAt = Date.now()
    const value = world.codec.attempt.encode({
      ...late,
      status: 'retrying',
      createdAt,
      at: createdAt,
    })
    await world.producer.send([{ topic: attemptsTopic, key: late.deliveryId, value }])
    await attempted(other, [500, 'retrying'])
    const reading = { topic: attemptsTopic, groupId: 'webhook-api', withinMs: 10_000 }
    expect(await hasReadAll(world.kafka, reading, new AbortController().signal)).toBe(true)
    const { rows } = await pool.query<{ id: string }>(
      'select subscription_id as id from failing_subscription where subscription_id = any($1)',
      [[id, other]],
    )
    expect(rows).toEqual([{ id: other }])
  })
})

describe('hasReadAll', () => {
  const { signal } = new AbortController()
  let topic: string
  let groupId: string
  let admin: ReturnType<World['kafka']['admin']>

  beforeEach(async () => {
    topic = `read-${randomUUID()}`
    groupId = `group-${topic}`
    admin = world.kafka.admin()
    await admin.connect()
    await admin.createTopics({ topics: [{ topic, numPartitions: 2 }] })
  })
  afterEach(async () => {
    await admin.deleteTopics({ topics: [topic] })
    await admin.disconnect()
  })

  it('is true when the group has committed every end at the time of the call', async () => {
    const ask = (withinMs: number) => hasReadAll(world.kafka, { topic, groupId, withinMs }, signal)
    expect(await ask(0)).toBe(true)
    await world.producer.send([{ topic, key: 'a', value: Buffer.from('a') }])
    expect(await ask(0)).toBe(false)
    const asked = ask(10_000)
    const ends = await admin.fetchTopicOffsets(topic)
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }))
    await admin.setOffsets({ groupId, topic, partitions })
    expect(await asked).toBe(true)
  })

  it('is true when what the group has not committed is no record', async () => {
    await world.producer.send([{ topic, key: 'a', value: Buffer.from('a') }])
    const ask = (messages: KafkaMessage[]) => {
      const reader = { read: async ({ to }: LogSpan) => ({ messages, next: to }) }
      return hasReadAll(world.kafka, { topic, groupId, withinMs: 0, reader }, signal)
    }
    expect(await ask([])).toBe(true)
    expect(await ask([{} as KafkaMessage])).toBe(false)
  })
})
