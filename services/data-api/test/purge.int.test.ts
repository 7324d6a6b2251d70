import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { openPool } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { purgeEnvironment } from '../src/purge-environment.ts'
import { log, openWorld, type World } from './support/under-test.ts'

let world: World
let pool: Pool

beforeAll(async () => {
  world = await openWorld()
  const { databaseUrl: connectionString } = world.database
  pool = openPool({ connectionString, applicationName: 'test', log })
})
afterAll(async () => {
  await pool?.end()
  await world?.[Symbol.asyncDispose]()
})

const shop = { projectId: 'shop', environment: 'live' }
const always = async () => true

const addKeys = (scope: readonly string[], count: number) =>
  pool.query(
    `insert into idempotency_key (scope, key, fingerprint, answer, created_at)
     select $1, n::text, '', '', now() from generate_series(1, $2) as n`,
    [JSON.stringify(scope), count],
  )

test('a purge deletes the idempotency keys of its environment, 10,000 at most in one statement', async () => {
  await addKeys(['shop', 'live', 'ada'], 10_000)
  await addKeys(['shop', 'live', 'bob'], 1)
  await addKeys(['shop', 'live-2', 'ada'], 1)
  const query = jest.spyOn(pool, 'query')
  expect(await purgeEnvironment(pool, shop, always)).toBe(true)
  const results = query.mock.calls.flatMap(([sql], index) =>
    /delete from idempotency_key/.test(sql) ? [query.mock.results[index]?.value] : [],
  )
  const counts = (await Promise.all(results)).map((result) => result?.rowCount)
  query.mockRestore()
  expect(counts).toEqual([10_000, 1, 0])
  const { rows } = await pool.query('select scope from idempotency_key')
  expect(rows).toEqual([{ scope: '["shop","live-2","ada"]' }])
  expect(await purgeEnvironment(pool, shop, always)).toBe(false)
})
