import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { type PurgeDeps, purgeEnvironment } from '../src/retention/purge-environment.ts'
import { openWorld, type World } from './support/under-test.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const day = '2026-11-20'
const tenant = { projectId: 'large', environment: 'master' }

const fill = (projectId: string, count: number) =>
  world.historyPool.query(
    `insert into delivery (day, id, created_at, event_id, subscription_id, project_id, environment,
       status, step, moved_at, attempts,
       attempt_step, attempted_at, watched_table, operation)
     select $1, gen_random_uuid(), $1::date, n::text, $2::uuid, $3, 'master', 'delivered', 1,
       $1::date, 1, 1, $1::date, 'orders', 'INSERT' from generate_series(1, $4) n`,
    [day, randomUUID(), projectId, count],
  )
const rowsOf = async (projectId: string) => {
  const { rows } = await world.historyPool.query<{ count: number }>(
    'select count(*)::integer as count from delivery where project_id = $1',
    [projectId],
  )
  return rows[0]?.count
}

const purge = (mayGoOn = async () => true) => {
  const deps = {
    ...{ pool: world.pool, historyPool: world.historyPool, mayGoOn, longestRetryMs: 0 },
    writer: { write: async () => [] },
    circuits: { closeAll: async () => {} },
    hasReadAll: async () => true,
  } as unknown as PurgeDeps
  return purgeEnvironment(deps, tenant)
}

it('a large environment goes in transactions of 10,000 rows, also after an interruption', async () => {
  await createDeliveryDays(world.historyPool).ensure([day])
  await fill(tenant.projectId, 30_001)
  await fill('small', 2)
  expect(await purge(async () => (await rowsOf(tenant.projectId)) === 30_001)).toBe(true)
  expect(await rowsOf(tenant.projectId)).toBe(20_001)

  const query = jest.spyOn(world.historyPool, 'query')
  expect(await purge()).toBe(true)
  const results = query.mock.calls.flatMap(([sql], index) =>
    /delete from delivery_/.test(sql) ? [query.mock.results[index]?.value] : [],
  )
  const counts = (await Promise.all(results)).map((result) => result?.rowCount)
  query.mockRestore()
  expect(counts.filter((count) => count !== 0)).toEqual([10_000, 10_000, 1])
  expect([await rowsOf(tenant.projectId), await rowsOf('small')]).toEqual([0, 2])
  expect(await purge()).toBe(false)
})
