import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { until } from '@surehook/testing/until'
import type { Pool, PoolClient } from 'pg'
import { createDeliveryDays, dayOf } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore } from '../src/history/write/delivery-store.ts'
import { HistoryMover } from '../src/rebuild/move-history.ts'
import { OlderVersions } from '../src/rebuild/older-versions.ts'
import { runRebuildWorker } from '../src/rebuild/rebuild-worker.ts'
import { clientOf, validInput } from './support/client.ts'
import { shownDeliveries } from './support/shown-deliveries.ts'
import { log, openWorld, type World } from './support/under-test.ts'

let world: World
/** Before 0.4 the history had these tables in the database of subscriptions. */
let older: ReturnType<typeof createDeliveryStore>
let newer: ReturnType<typeof createDeliveryStore>
const signal = new AbortController().signal

beforeAll(async () => {
  world = await openWorld()
  const storeIn = (pool: Pool) => createDeliveryStore(pool, createDeliveryDays(pool))
  older = storeIn(world.pool)
  newer = storeIn(world.historyPool)
})
afterAll(async () => world?.[Symbol.asyncDispose]())

const dayMs = 86_400_000
let subscriptionId: string
beforeEach(() => {
  subscriptionId = randomUUID()
})

const own = (deliveryId: string, daysBack = 0) => ({
  ...{ deliveryId, subscriptionId, createdAt: Date.now() - daysBack * dayMs },
  ...{ projectId: 'shop', environment: 'master' },
})
const attempt = (of: ReturnType<typeof own>, change: Partial<DeliveryAttempt>) =>
  anAttempt({ ...of, attempted: true, at: of.createdAt + 1, ...change })
const failed = { status: 'retrying', step: 1, attempts: 1, httpStatus: 500 } as const
const delivered = { status: 'delivered', step: 2, attempts: 2, httpStatus: 200 } as const

async function statistics(): Promise<Record<string, unknown>[]> {
  const { rows } = await world.historyPool.query(
    `select 'bucket' as of, sum(attempts)::integer as attempts, sum(delivered)::integer as delivered,
       sum(retrying)::integer as retrying from attempt_stats where subscription_id = $1
     union all
     select 'hour', sum(attempts)::integer, sum(delivered)::integer, sum(retrying)::integer
     from attempt_stats_hour where subscription_id = $1`,
    [subscriptionId],
  )
  return rows
}

async function moveAll(pool: Pool = world.pool): Promise<void> {
  const mover = new HistoryMover({ pool, historyPool: world.historyPool })
  const { rows } = await world.pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'delivery'::regclass`,
  )
  const tables = [...rows.map(({ name }) => name), 'attempt_stats', 'attempt_stats_hour']
  for (const table of tables) await mover.moveAll(table, signal)
}

/** Transactions commit nothing: the process was killed just before. */
const killed = (pool: Pool): Pool =>
  Object.assign(Object.create(pool) as Pool, {
    query: pool.query.bind(pool),
    async connect() {
      const client = await pool.connect()
      return Object.assign(Object.create(client) as PoolClient, {
        query: (...args: [string]) => {
          if (args[0] === 'commit') throw new Error('killed')
          return client.query(...args)
        },
        release: (broken?: Error) => client.release(broken),
      })
    },
  })

/** Whether recoveries of webhook-api 0.3 wait, by its own condition. */
async function isHeld(): Promise<boolean> {
  const { rows } = await world.pool.query<{ held: boolean }>(
    `select exists (select from history_rebuild where state <> 'done') as held`,
  )
  return rows.some(({ held }) => held)
}

/** As webhook-api 0.3 does it, whose history is beside the subscriptions. */
const olderRebuilds = () =>
  runRebuildWorker({
    ...{ historyPool: world.pool, kafka: world.kafka, clientId: 'older', log },
    projection: { read: async () => [], write: async () => {}, refuse: async () => {} },
  })

describe('an older replica that still runs', () => {
  it('ends no recovery from the first moved row on, and after a rollback goes on', async () => {
    await world.pool.query('truncate delivery, attempt_stats, attempt_stats_hour, history_rebuild')
    await moveAll()
    // There is nothing to move.
    expect(await isHeld()).toBe(false)

    const of = own(randomUUID())
    await older.add({ jobs: [aJob(of)], transitions: [] })
    const batch = await world.pool.connect()
    try {
      await batch.query('begin; select from recovery for update')
      await expect(moveAll()).rejects.toThrow('lock timeout')
      expect((await world.pool.query('select from delivery')).rowCount).toBe(1)
    } finally {
      batch.release(true)
    }
    await moveAll()
    expect((await world.pool.query('select from delivery')).rowCount).toBe(0)
    expect(await isHeld()).toBe(true)

    {
      await using _service = await world.startService()
      const isDone = async () =>
        (await world.historyPool.query('select from history_rebuild')).rowCount === 0
      await until(isDone, { what: 'the end of the move' })
      expect(await isHeld()).toBe(true)
    }
    await older.add({ jobs: [aJob({ ...of, deliveryId: randomUUID() })], transitions: [] })
    await using _older = olderRebuilds()
    expect(await isHeld()).toBe(true)
    // Nobody has renewed it for ten minutes.
    await world.pool.query('update history_rebuild set due_at = now()')
    await until(async () => !(await isHeld()), { what: 'the older version going on' })
    expect((await world.pool.query('select from delivery')).rowCount).toBe(1)
  })

  it('also waits while only statistics are to be moved', async () => {
    await world.pool.query('truncate delivery, attempt_stats, attempt_stats_hour, history_rebuild')
    await world.pool.query(
      `insert into attempt_stats_hour (subscription_id, at, attempts, delivered, retrying,
         dead_letter, cancelled, latencies)
       values ($1, date_trunc('hour', now()), 1, 1, 0, 0, 0, '{}')`,
      [subscriptionId],
    )
    expect(await new OlderVersions(world.pool).hold()).toBe(true)
    await moveAll()
    expect(await new OlderVersions(world.pool).hold()).toBe(true)
    expect((await world.pool.query('select has_older_history() as left')).rows).toEqual([
      { left: false },
    ])
  })

  it('leaves its own rebuild to the new version, which rebuilds after the move', async () => {
    await world.pool.query('truncate history_rebuild')
    await world.pool.query(
      `insert into history_rebuild (id, state, taken_by, due_at)
       values ($1, 'emptied', $1, now() + interval '30 s')`,
      [randomUUID()],
    )
    await older.add({ jobs: [aJob(own(randomUUID()))], transitions: [] })
    await using _service = await world.startService()
    const isRebuilt = async () =>
      (await world.historyPool.query(`select from history_rebuild where state = 'done'`))
        .rowCount === 1
    await until(isRebuilt, { what: 'the rebuild by the new version' })
    expect((await world.pool.query('select from delivery')).rowCount).toBe(0)
    expect((await world.pool.query('select state, spans from history_rebuild')).rows).toEqual([
      { state: 'reading', spans: [] },
    ])
    await world.historyPool.query('truncate history_rebuild')
  })
})

describe('the history of an older version', () => {
  it('moves with its statistics while the log goes on, and its days end', async () => {
    const [split, old, fresh] = [randomUUID(), randomUUID(), randomUUID()]
    const [ofSplit, ofOld, ofFresh] = [own(split), own(old, 20), own(fresh)]
    await older.add({
      jobs: [aJob(ofSplit), aJob({ ...ofOld, body: Buffer.from('its body') })],
      transitions: [attempt(ofSplit, failed), attempt(ofOld, failed)],
    })
    // A replica of the new version goes on with the delivery, and makes another.
    await newer.add({
      jobs: [aJob(ofFresh)],
      transitions: [attempt(ofSplit, delivered), attempt(ofFresh, { ...delivered, step: 1 })],
    })

    await moveAll()

    const shown = shownDeliveries(world.historyPool)
    const listed = await shown.newest(subscriptionId)
    expect(listed.map(({ id, status }) => [id, status])).toEqual(
      expect.arrayContaining([
        [split, 'delivered'],
        [fresh, 'delivered'],
        [old, 'retrying'],
      ]),
    )
    expect(listed).toHaveLength(3)
    expect(await shown.detail(ofSplit)).toMatchObject({
      attemptLog: [{ outcome: 'retrying' }, { outcome: 'delivered' }],
    })
    expect(await shown.detail(ofOld)).toMatchObject({ body: 'its body' })
    expect(await statistics()).toEqual([
      // Statistics have no attempt of 20 days ago.
      { of: 'bucket', attempts: 3, delivered: 2, retrying: 1 },
      { of: 'hour', attempts: 3, delivered: 2, retrying: 1 },
    ])
    const left = await world.pool.query(
      `select inhrelid::regclass::text as day from pg_inherits
       where inhparent = 'delivery'::regclass`,
    )
    // Older replicas insert jobs into today's, without looking whether it is there.
    const today = dayOf(Date.now()).replaceAll('-', '')
    expect(left.rows).toEqual([{ day: `delivery_${today}` }])
    expect((await world.pool.query('select from delivery')).rowCount).toBe(0)
  })

  it('moves once, although a process is killed between the two commits', async () => {
    const of = own(randomUUID())
    const other = { ...own(randomUUID()), subscriptionId: randomUUID() }
    await older.add({
      jobs: [aJob(of), aJob(other)],
      transitions: [attempt(of, failed), attempt(other, failed)],
    })
    const expected = [
      { of: 'bucket', attempts: 1, delivered: 0, retrying: 1 },
      { of: 'hour', attempts: 1, delivered: 0, retrying: 1 },
    ]
    await new OlderVersions(world.pool).hold()
    const mover = new HistoryMover({ pool: killed(world.pool), historyPool: world.historyPool })
    for (const table of ['attempt_stats', 'attempt_stats_hour']) {
      await expect(mover.moveAll(table, signal)).rejects.toThrow('killed')
    }
    expect(await statistics()).toEqual(expected)
    // An older replica adds to other statistics of the batch.
    await older.add({ jobs: [], transitions: [attempt(other, delivered)] })
    await moveAll()
    expect(await statistics()).toEqual(expected)
    expect((await world.pool.query('select from attempt_stats')).rowCount).toBe(0)
    expect((await world.historyPool.query('select from moved_statistics')).rowCount).toBe(2)
  })

  it('is moved by replicas together, and counts as complete only then', async () => {
    const ids = Array.from({ length: 2_500 }, () => randomUUID())
    const all = ids.map((id) => own(id, 3))
    await older.add({ jobs: all.map((of) => aJob(of)), transitions: [] })
    await world.historyPool.query(`insert into history_rebuild (id, state) values ($1, 'moving')`, [
      randomUUID(),
    ])
    const tenant = await world.tenant()
    await using first = await world.startService()
    await using _second = await world.startService()
    const client = clientOf(first.api, tenant)
    const { id } = (await client.call('POST', validInput(tenant))).body
    const isDone = async () =>
      (await world.historyPool.query('select from history_rebuild')).rowCount === 0
    await until(isDone, { what: 'the end of the move' })
    const { rows } = await world.historyPool.query<{ count: number }>(
      'select count(*)::integer as count from delivery where subscription_id = $1',
      [subscriptionId],
    )
    expect(rows[0]?.count).toBe(ids.length)
    const { status } = await client.call(`POST /${id}/deliveries/${randomUUID()}/redeliver`)
    expect(status).toBe(404)
  })
})
