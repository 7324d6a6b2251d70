import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { createDeliveryDays, dayOf } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore } from '../src/history/write/delivery-store.ts'
import { endedReplays } from '../src/redelivery/replay/replay-store.ts'
import { dropOldDays } from '../src/retention/drop-old-days.ts'
import { openWorld, type World } from './support/under-test.ts'

let world: World
let pool: Pool
let historyPool: Pool

beforeAll(async () => {
  world = await openWorld()
  pool = world.pool
  historyPool = world.historyPool
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const dayMs = 86_400_000
const now = Date.now()

/** Logs a delivery with body and attempt on each of these days before today. */
async function logOn(...daysBack: number[]): Promise<void> {
  const store = createDeliveryStore(historyPool, createDeliveryDays(historyPool))
  for (const back of daysBack) {
    const own = { deliveryId: randomUUID(), createdAt: now - back * dayMs }
    await store.addJobs([aJob(own)])
    await store.addTransitions([anAttempt(own)])
  }
}
async function daysOf(table: string): Promise<string[]> {
  const { rows } = await historyPool.query(
    `select distinct day::text as day from ${table} order by day`,
  )
  return rows.map(({ day }) => String(day))
}
const back = (...daysBack: number[]) => daysBack.map((days) => dayOf(now - days * dayMs)).toSorted()
const dropOld = (historyDays: number) => dropOldDays(historyPool, { historyDays, now })

describe('history', () => {
  it('ends with its day: older days are dropped, and younger days stay whole', async () => {
    await logOn(0, 1, 2, 3, 4)
    const { dropped, busy } = await dropOld(2)
    expect(busy).toEqual([])
    expect(dropped).toHaveLength(2)
    expect(await daysOf('delivery')).toEqual(back(0, 1, 2))
    expect(await dropOld(2)).toEqual({ dropped: [], busy: [] })
  })

  it('is deleted by one replica at a time', async () => {
    await logOn(10, 11, 12)
    const all = await Promise.all([dropOld(9), dropOld(9), dropOld(9)])
    const dropped = all.flatMap((one) => one.dropped)
    expect(new Set(dropped).size).toBe(dropped.length)
    await dropOld(9)
    expect(await daysOf('delivery')).not.toContain(back(10)[0])
  })

  it('does not wait for its readers, and is dropped once they are done', async () => {
    await logOn(20)
    const reader = await historyPool.connect()
    await reader.query('begin; select * from delivery limit 1')
    const { busy } = await dropOld(19)
    expect(busy).toEqual([`delivery_${back(20)[0]?.replaceAll('-', '')}`])
    expect((await historyPool.query('select from delivery limit 1')).rowCount).toBe(1)
    await reader.query('rollback')
    reader.release()
    expect((await dropOld(19)).busy).toEqual([])
    expect(await daysOf('delivery')).not.toContain(back(20)[0])
  })

  it('is deleted by the service itself after WEBHOOK_HISTORY_DAYS', async () => {
    await logOn(6, 8)
    await using _service = await world.startService({ historyDays: 7 })
    const isGone = async () => !(await daysOf('delivery')).includes(back(8)[0] ?? '')
    await until(isGone, { what: 'the end of an old day' })
    expect(await daysOf('delivery')).toContain(back(6)[0])
  })

  it('includes idempotency keys older than a day, however many there are', async () => {
    await pool.query(
      `insert into idempotency_key (scope, key, fingerprint, answer, created_at)
       select 'test', n::text, '', '{}',
              now() - case when n = 0 then interval '1 hour' else interval '2 days' end
       from generate_series(0, 20001) n`,
    )
    await using _service = await world.startService()
    const count = async () => {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::integer as count from idempotency_key where scope = 'test'`,
      )
      return rows[0]?.count
    }
    const isSwept = async () => (await count()) === 1
    await until(isSwept, { what: 'the end of the old keys' })
  })
})

it('a replay is shown for 30 days after its end, and while it runs', async () => {
  const ended = [29, 31, null].map((days) => ({
    id: randomUUID(),
    at: days === null ? null : new Date(now - days * dayMs),
  }))
  for (const { id, at } of ended) {
    await pool.query(
      `insert into replay (id, project_id, environment, subscription_id, state, span_from, span_until,
         spans, scanned, deliveries, created_at, finished_at, due_at)
       values ($1, 'p', 'e', $2, case when $3::timestamptz is null then 'running' else 'done' end,
         now(), now(), '[]', 0, 0, now() - interval '40 days', $3, 'infinity')`,
      [id, randomUUID(), at],
    )
  }
  expect(await endedReplays.run(pool)).toBe(false)
  const { rows } = await pool.query<{ id: string }>('select id from replay')
  expect(rows.map(({ id }) => id).toSorted()).toEqual([ended[0]?.id, ended[2]?.id].toSorted())
})
