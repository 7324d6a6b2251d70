import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import type {
  recoverWebhook,
  redeliver as redeliverOperation,
  testWebhook,
} from '@surehook/contracts/http/webhooks/deliveries'
import type { ReplyOf } from '@surehook/contracts/operation'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let pool: Pool
let historyPool: Pool
let tenant: Tenant
let client: Client
let id: string

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  pool = world.pool
  historyPool = world.historyPool
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
})

type Row = {
  body: Buffer | null
  job_partition: number | null
  job_offset: string | null
}

async function rowOf(deliveryId: string): Promise<Row | undefined> {
  const { rows } = await historyPool.query<Row>(
    'select body, job_partition, job_offset from delivery where id = $1',
    [deliveryId],
  )
  return rows[0]
}

const untilRead = (deliveryId: string) =>
  until(async () => Number((await rowOf(deliveryId))?.job_offset ?? -1) >= 0, {
    what: 'the place of the job',
  })

/** Publishes a dead letter with its own body, and waits until the log has read it. */
async function deadLetter(change: Partial<DeliveryJob> = {}): Promise<DeliveryJob> {
  const { projectId, environment } = tenant
  const own = { deliveryId: randomUUID(), subscriptionId: id, projectId, environment }
  const body = Buffer.from(JSON.stringify({ of: own.deliveryId }))
  const made = { eventId: randomUUID(), createdAt: Date.now() }
  const job = aJob({ ...own, ...made, webhookId: own.deliveryId, body, ...change })
  const letter = { status: 'dead_letter', httpStatus: 500, errorClass: 'http', step: 5 } as const
  const transition = anAttempt({ ...own, ...made, ...letter, attempts: 5, at: Date.now() })
  await world.producer.send([
    { topic: deliveriesTopic, key: job.url, value: world.codec.job.encode(job) },
    { topic: attemptsTopic, key: own.deliveryId, value: world.codec.attempt.encode(transition) },
  ])
  await untilRead(own.deliveryId)
  return job
}

const pathOf = (deliveryId: string) => `/${id}/deliveries/${deliveryId}`
const shownBody = async (deliveryId: string) => {
  const { status, text } = await client.call(`GET ${pathOf(deliveryId)}`)
  expect(status).toBe(200)
  return (JSON.parse(text) as { body: string | null }).body
}
const redeliver = (deliveryId: string) =>
  client.call<ReplyOf<typeof redeliverOperation>>(`POST ${pathOf(deliveryId)}/redeliver`)

/** Returns the bodies of the redeliveries, by original delivery. */
async function sentAgain(): Promise<Record<string, string | null>> {
  const { rows } = await historyPool.query<{ id: string; redelivery_of: string }>(
    'select id, redelivery_of from delivery where subscription_id = $1 and redelivery_of is not null',
    [id],
  )
  const bodies = rows.map(async (row) => [row.redelivery_of, await shownBody(row.id)] as const)
  return Object.fromEntries(await Promise.all(bodies))
}

async function recover(): Promise<number> {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const { status, body } = await client.call<ReplyOf<typeof recoverWebhook>>(
    `POST /${id}/recover`,
    { since },
  )
  expect(status).toBe(202)
  const isDone = async () => (await pool.query('select from recovery')).rowCount === 0
  await until(isDone, { what: 'the end of the recovery' })
  return body.count
}

/** Deletes the record as the trimming of old records does. */
async function trim({ deliveryId }: DeliveryJob): Promise<void> {
  const row = await rowOf(deliveryId)
  const admin = world.kafka.admin()
  await admin.connect()
  await admin.fetchTopicMetadata({ topics: [deliveriesTopic] })
  const last = { partition: row?.job_partition ?? 0, offset: String(Number(row?.job_offset) + 1) }
  await admin.deleteTopicRecords({ topic: deliveriesTopic, partitions: [last] })
  await admin.disconnect()
}

/** Simulates a recreated topic in which other deliveries have the same offsets. */
async function swapPlaces(one: DeliveryJob, other: DeliveryJob): Promise<void> {
  await historyPool.query(
    `update delivery d set job_partition = o.job_partition, job_offset = o.job_offset
     from delivery o where d.id = any($1::uuid[]) and o.id = any($1::uuid[]) and o.id <> d.id`,
    [[one.deliveryId, other.deliveryId]],
  )
}

describe('the body of a delivery', () => {
  it("is read from its job's record, for display, redelivery and recovery", async () => {
    const letters = [await deadLetter(), await deadLetter(), await deadLetter()] as const
    for (const { deliveryId, body } of letters) {
      expect((await rowOf(deliveryId))?.body).toBeNull()
      expect(await shownBody(deliveryId)).toBe(body.toString())
    }
    const [first] = letters
    const { status, body: answer } = await redeliver(first.deliveryId)
    expect(status).toBe(202)
    // The body is available at once, and also after the log has read its place.
    expect(await shownBody(answer.deliveryId)).toBe(first.body.toString())
    await untilRead(answer.deliveryId)
    expect((await rowOf(answer.deliveryId))?.body).toBeNull()
    expect(await shownBody(answer.deliveryId)).toBe(first.body.toString())
    expect((await redeliver(answer.deliveryId)).status).toBe(202)

    expect(await recover()).toBe(2)
    expect(await sentAgain()).toMatchObject(
      Object.fromEntries(letters.map(({ deliveryId, body }) => [deliveryId, body.toString()])),
    )
  })

  it('of a test event is shown at once and later', async () => {
    const { body: test } = await client.call<ReplyOf<typeof testWebhook>>(`POST /${id}/test`)
    const before = await shownBody(test.deliveryId)
    expect(before).toContain('"test":true')
    await untilRead(test.deliveryId)
    expect(await shownBody(test.deliveryId)).toBe(before)
  })

  it("is gone with its job, and is never another delivery's", async () => {
    const [trimmed, mine, kept] = [await deadLetter(), await deadLetter(), await deadLetter()]
    await trim(trimmed)
    const theirs = await deadLetter({ projectId: 'of-somebody-else' })
    await swapPlaces(mine, theirs)
    for (const { deliveryId } of [trimmed, mine]) {
      expect(await shownBody(deliveryId)).toBeNull()
      const { status, body } = await redeliver(deliveryId)
      expect([status, body.error]).toEqual([409, 'CONFLICT'])
    }
    await recover()
    expect(await sentAgain()).toEqual({ [kept.deliveryId]: kept.body.toString() })
  })

  it('is not read for a caller who may not see the delivery', async () => {
    const { deliveryId } = await deadLetter()
    const stranger = clientOf(service.api, await world.tenant())
    for (const [method, path] of [
      ['GET', pathOf(deliveryId)],
      ['POST', `${pathOf(deliveryId)}/redeliver`],
    ] as const) {
      expect((await stranger.call(`${method} ${path}`)).status).toBe(404)
    }
  })

  it('is not needed for a repeated request', async () => {
    const letter = await deadLetter()
    const path = `${pathOf(letter.deliveryId)}/redeliver`
    const key = { 'idempotency-key': 'once' }
    const first = await client.call(`POST ${path}`, undefined, key)
    await trim(letter)
    const second = await client.call(`POST ${path}`, undefined, key)
    expect([first.status, second.status, second.body]).toEqual([202, 202, first.body])
  })
})
