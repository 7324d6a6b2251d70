import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import type { Pool } from 'pg'
import type { KnownTable } from '../../tables/table-cache.ts'
import { createSharedGets } from './shared-gets.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const idOf = (n: number) => `0192f0c4-aaaa-7bbb-8ccc-${String(n).padStart(12, '0')}`
const recordOf = (id: string) => `{"id":"${id}","updatedAt":"2026-02-03T04:05:06.789Z"}`

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const settled = () => jest.advanceTimersByTimeAsync(0)

/** A table with the records 1 to 99, and statements that end when the test says so. */
function setUp() {
  const known = new Set(Array.from({ length: 99 }, (_, n) => idOf(n + 1)))
  const statements: { ids: string[]; end: () => void }[] = []
  const query = ({ values: [ids] }: { values: [string[]] }) =>
    new Promise((resolve) => {
      const there = ids.filter((id) => known.has(id)).toReversed()
      statements.push({ ids, end: () => resolve({ rows: there.map((id) => [recordOf(id)]) }) })
    })
  const gets = createSharedGets({ query } as unknown as Pool, {
    enter: (_tenant, work) => work(),
    maxWaitMs: 3_000,
  })
  const table = { definition: { id: '1', version: 1 }, sql: {}, prepared: false }
  const get = (id: string) => gets.run(tenant, table as unknown as KnownTable, id)
  return { get, statements }
}

it('returns to each caller its requested record, in any case and however often', async () => {
  const { get, statements } = setUp()
  const [upper, missing] = [idOf(4).toUpperCase(), idOf(100)]
  const asked = [idOf(1), idOf(2), idOf(3), upper, missing, idOf(3)].map(get)
  statements[0]?.end()
  await settled()
  expect(await asked[0]).toBe(recordOf(idOf(1)))
  expect(statements.map(({ ids }) => ids)).toEqual([
    [idOf(1)],
    [idOf(2)],
    [idOf(3), idOf(4), missing],
  ])
  for (const { end } of statements) end()
  const records = [idOf(1), idOf(2), idOf(3), idOf(4)].map(recordOf)
  expect(await Promise.all(asked)).toEqual([...records, null, recordOf(idOf(3))])
})

it('reads at most 16 records with one statement', async () => {
  const { get, statements } = setUp()
  const asked = Array.from({ length: 20 }, (_, n) => get(idOf(n + 1)))
  statements[0]?.end()
  await settled()
  expect(statements.map(({ ids }) => ids.length)).toEqual([1, 1, 16])
  statements[1]?.end()
  await settled()
  expect(statements[3]?.ids).toHaveLength(2)
  for (const { end } of statements) end()
  expect(await Promise.all(asked)).toHaveLength(20)
})
