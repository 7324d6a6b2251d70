import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryJob } from '@surehook/contracts/events'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic, invalidTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { readUntil } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { Client as PgClient, type Pool } from 'pg'
import { outcomeNotes } from '../src/failing/note-outcomes.ts'
import { dayTable } from '../src/history/rows/delivery-days.ts'
import { type DeliveryLog, openDeliveryLog } from '../src/history/write/delivery-log.ts'
import { log, openWorld, type World } from './support/under-test.ts'

/** Far below the service's setting, so that the test does not wait for it. */
const statementTimeoutMs = 1_000

let world: World
let pool: Pool
let admin: PgClient
let history: DeliveryLog
let subscriptionId: string

beforeAll(async () => {
  world = await openWorld()
  const { databaseUrl, adminUrl } = world.database
  const ofHistory = (url: string) => siblingUrl(url, 'history')
  const pooled = { applicationName: 'test', statementTimeoutMs, log }
  pool = openPool({ connectionString: ofHistory(databaseUrl), ...pooled })
  admin = new PgClient({ connectionString: ofHistory(adminUrl) })
  await admin.connect()
  await admin.query('set search_path to webhook_api')
})
afterAll(async () => {
  await admin?.end()
  await pool?.end()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  subscriptionId = randomUUID()
})
afterEach(async () => {
  await history[Symbol.asyncDispose]()
})

const follow = () => {
  history = openDeliveryLog(world, {
    service: 'webhook-api',
    ...{ pool: world.pool, historyPool: pool, historyDays: 30, log },
    noteOutcomes: outcomeNotes(world.pool, () => {}),
    metrics: createMetrics('test'),
  })
}
const jobsOf = (count: number, change: Partial<DeliveryJob> = {}) =>
  Array.from({ length: count }, () =>
    aJob({
      deliveryId: randomUUID(),
      eventId: randomUUID(),
      subscriptionId,
      createdAt: Date.now(),
      ...change,
    }),
  )

/** Each job has its transition: attempted deliveries are written at once. */
async function publish(jobs: readonly DeliveryJob[]): Promise<void> {
  const { producer, codec } = world
  for (const job of jobs) {
    await producer.send([{ topic: deliveriesTopic, key: job.url, value: codec.job.encode(job) }])
  }
  await producer.send(
    jobs.map(({ deliveryId, createdAt, eventId }) => {
      const transition = anAttempt({
        deliveryId,
        createdAt,
        eventId,
        subscriptionId,
        at: createdAt,
      })
      return { topic: attemptsTopic, key: deliveryId, value: codec.attempt.encode(transition) }
    }),
  )
}

async function delivered(): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `select id from ${dayTable} where subscription_id = $1 and status = 'delivered'
       and job_offset is not null`,
    [subscriptionId],
  )
  return rows.map(({ id }) => id)
}

const untilDelivered = (count: number) =>
  until(async () => (await delivered()).length === count, {
    what: `${count} deliveries in the history`,
    timeoutMs: 90_000,
  })

describe('the history', () => {
  it('is written by halves if all at once takes too long', async () => {
    await admin.query(`
      create function take_time() returns trigger language plpgsql as
        $$ begin perform pg_sleep(0.1); return new; end $$;
      create trigger slow before insert on ${dayTable} for each row
        -- The topics may also have deliveries of other tests.
        when (new.subscription_id = '${subscriptionId}') execute function take_time()`)
    try {
      await publish(jobsOf(40))
      follow()
      await untilDelivered(40)
    } finally {
      await admin.query(`drop trigger slow on ${dayTable}; drop function take_time()`)
    }
  })

  it('is written for the rest of a batch while one row cannot be written', async () => {
    follow()
    const [stuck, ...others] = jobsOf(60) as [DeliveryJob, ...DeliveryJob[]]
    const value = world.codec.job.encode(stuck)
    await world.producer.send([{ topic: deliveriesTopic, key: stuck.url, value }])
    const row = `select from ${dayTable} where id = '${stuck.deliveryId}'`
    await until(async () => (await admin.query(row)).rowCount === 1, {
      what: 'the pending delivery',
      timeoutMs: 20_000,
    })
    await admin.query('begin')
    await admin.query(`${row} for update`)
    await publish([stuck, ...others])
    await untilDelivered(others.length)
    expect(await delivered()).not.toContain(stuck.deliveryId)
    // Later deliveries do not wait for the slow chunk either.
    await publish(jobsOf(20))
    await untilDelivered(others.length + 20)
    await admin.query('rollback')
    await untilDelivered(others.length + 21)
  })

  it('waits one second for a locked row, whatever the statement timeout', async () => {
    const connectionString = world.config.historyUrl
    await using patient = {
      pool: openPool({
        connectionString,
        applicationName: 'test',
        statementTimeoutMs: 600_000,
        log,
      }),
      [Symbol.asyncDispose]: () => patient.pool.end(),
    }
    const metrics = createMetrics('test')
    history = openDeliveryLog(world, {
      service: 'webhook-api',
      ...{ pool: world.pool, historyPool: patient.pool, historyDays: 30, log, metrics },
      noteOutcomes: outcomeNotes(world.pool, () => {}),
    })
    const [stuck, ...others] = jobsOf(60) as [DeliveryJob, ...DeliveryJob[]]
    await publish([stuck])
    await untilDelivered(1)
    await admin.query('begin')
    await admin.query(`select from ${dayTable} where id = '${stuck.deliveryId}' for update`)
    await publish([stuck, ...others])
    await untilDelivered(others.length + 1)
    await admin.query('rollback')
    await history[Symbol.asyncDispose]()
    follow()
  })

  it('is written for the rest if PostgreSQL refuses one row, which goes to the invalid topic', async () => {
    const [refused, ...others] = jobsOf(60) as [DeliveryJob, ...DeliveryJob[]]
    await admin.query(`
      create function refuse_row() returns trigger language plpgsql as
        $$ begin raise exception 'no' using errcode = 'XX001'; end $$;
      create trigger refusing before insert on ${dayTable} for each row
        when (new.id = '${refused.deliveryId}') execute function refuse_row()`)
    try {
      await publish([refused, ...others])
      follow()
      await untilDelivered(others.length)
      await publish(jobsOf(20))
      await untilDelivered(others.length + 20)
      const isRefused = ({ key }: KafkaMessage) => String(key) === refused.deliveryId
      await readUntil(world.kafka, invalidTopic(attemptsTopic), (all) => all.some(isRefused))
    } finally {
      await admin.query(`drop trigger refusing on ${dayTable}; drop function refuse_row()`)
    }
  })

  it('accepts many large bodies whose transitions are read before them', async () => {
    const large = jobsOf(100).map((job) => ({ ...job, body: Buffer.alloc(900_000, job.eventId) }))
    await publish(large)
    follow()
    await untilDelivered(100)
  })
})
