import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { createDeliveryDays, dayOf } from '../src/history/rows/delivery-days.ts'
import { clientOf, validInput } from './support/client.ts'
import { aJob, aTransition } from './support/delivery-samples.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let pool: Pool
let tenant: Tenant
let client: Client
let id: string

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  pool = world.pool
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
  const { rows } = await pool.query<Row>(
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
  const transition = aTransition({ ...own, ...made, ...letter, attempts: 5, at: Date.now() })
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
const redeliver = (deliveryId: string) => client.call(`POST ${pathOf(deliveryId)}/redeliver`)

/** Returns the bodies of the redeliveries, by original delivery. */
async function sentAgain(): Promise<Record<string, string | null>> {
  const { rows } = await pool.query<{ id: string; redelivery_of: string }>(
    'select id, redelivery_of from delivery where subscription_id = $1 and redelivery_of is not null',
    [id],
  )
  const bodies = rows.map(async (row) => [row.redelivery_of, await shownBody(row.id)] as const)
  return Object.fromEntries(await Promise.all(bodies))
}

async function recover(): Promise<number> {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const { status, body } = await client.call(`POST /${id}/recover`, { since })
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
  await pool.query(
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
    const { body: test } = await client.call(`POST /${id}/test`)
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

describe('beside a version that keeps bodies in rows', () => {
  const names = [
    'day, id, created_at, event_id, subscription_id, project_id, environment',
    'status, step, moved_at, attempts, attempt_step, attempted_at, watched_table',
    'operation, webhook_id, body, body_of',
  ].join(', ')

  /** Inserts a row as the older version wrote it. */
  async function oldRow({ body = null, of = null }: { body?: Buffer | null; of?: string | null }) {
    const [deliveryId, eventId, now] = [randomUUID(), randomUUID(), new Date()]
    const { projectId, environment } = tenant
    await createDeliveryDays(pool).ensure([dayOf(now.getTime())])
    await pool.query(
      `insert into delivery (${names})
       values ($1, $2, $3, $4, $5, $6, $7, 'dead_letter', 5, $3, 5, 5, $3, 'orders', 'INSERT', $2, $8, $9)`,
      [dayOf(now.getTime()), deliveryId, now, eventId, id, projectId, environment, body, of],
    )
    return { deliveryId, eventId }
  }

  it('reads the bodies of its rows, and of rows that refer to them', async () => {
    const body = Buffer.from('{"kept":"in the row"}')
    const keeper = await oldRow({ body })
    const named = await oldRow({ of: keeper.deliveryId })
    const namedInTurn = await oldRow({ of: named.deliveryId })
    const all = [keeper, named, namedInTurn]
    for (const { deliveryId } of all) expect(await shownBody(deliveryId)).toBe(body.toString())
    const letter = await deadLetter()
    expect(await recover()).toBe(4)
    expect(await sentAgain()).toEqual({
      ...Object.fromEntries(all.map(({ deliveryId }) => [deliveryId, body.toString()])),
      [letter.deliveryId]: letter.body.toString(),
    })
  })

  it('keeps a body that another row may refer to', async () => {
    const body = Buffer.from('{"kept":"in the row"}')
    const { deliveryId, eventId } = await oldRow({ body })
    const { projectId, environment } = tenant
    const own = { deliveryId, eventId, subscriptionId: id, projectId, environment }
    const again = aJob({ ...own, createdAt: Date.now(), body: Buffer.from('{"read":"again"}') })
    const moved = aTransition({ ...own, createdAt: again.createdAt, step: 6, at: Date.now() })
    const value = world.codec.attempt.encode(moved)
    await world.producer.send([
      { topic: deliveriesTopic, key: again.url, value: world.codec.job.encode(again) },
    ])
    // This job has the same key, so once its place is known, the log has read everything before it.
    await deadLetter()
    await world.producer.send([{ topic: attemptsTopic, key: deliveryId, value }])
    const isMoved = async () =>
      (await client.call(`GET ${pathOf(deliveryId)}`)).text.includes('"status":"delivered"')
    await until(isMoved, { what: 'the transition' })
    expect(await rowOf(deliveryId)).toEqual({ body, job_partition: null, job_offset: null })
  })

  it('keeps that version from ending or advancing a recovery whose bodies it cannot read', async () => {
    await pool.query(
      `insert into recovery values ($1, $2, $3, $4, now(), now(), now(), 'infinity', $1, 'infinity')`,
      [randomUUID(), tenant.projectId, tenant.environment, id],
    )
    const refused = 'cannot read the bodies'
    const own = 'where subscription_id = $1'
    await expect(pool.query(`delete from recovery ${own}`, [id])).rejects.toThrow(refused)
    await expect(
      pool.query(`update recovery set position_at = now() ${own}`, [id]),
    ).rejects.toThrow(refused)
    await pool.query(`update recovery set worked_at = now() ${own}`, [id])
    // The recovery of a deleted environment may be removed by any version.
    await pool.query('delete from subscription where id = $1', [id])
    await pool.query(`delete from recovery ${own}`, [id])
  })
})
