import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Pool } from 'pg'
import type { TableDefinition } from '../table-definition.ts'
import { createTableCache, type KnownTable, type TableCache } from './table-cache.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const minute = 60_000

/** The catalogue's rows by table name, and how often they were read. */
let catalogue: Map<string, TableDefinition>
let reads: number
let now: number
let cache: TableCache

beforeEach(() => {
  catalogue = new Map()
  reads = 0
  now = 1_000_000
  const query = async ({ values }: { values: string[] }) => {
    reads += 1
    const row = catalogue.get(values[2] ?? '')
    return { rows: row === undefined ? [] : [row] }
  }
  cache = createTableCache({ query } as unknown as Pool, { now: () => now })
})

function define(name: string, version = 1): void {
  const access = { read: [], create: [], update: [], delete: [] }
  const at = '2026-01-01T00:00:00.000Z'
  const shape = { columns: [], access, createdAt: at, updatedAt: at }
  catalogue.set(name, { ...tenant, ...shape, id: name, version, name, schema: 'd_1', source: null })
}

/** Uses the table as a request does. Returns whether its statements were prepared. */
const isPrepared = async (name: string) =>
  cache.use(tenant, name, async ({ prepared }: KnownTable) => prepared)

async function useAll(names: readonly string[]): Promise<number> {
  let prepared = 0
  for (const name of names) if ((await isPrepared(name)) === true) prepared += 1
  return prepared
}

function defineMany(prefix: string, count: number): string[] {
  const names = Array.from({ length: count }, (_, n) => `${prefix}${n}`)
  for (const name of names) define(name)
  return names
}

/** Changes the table in such a way that the cache notices. */
async function evolve(name: string, version: number): Promise<void> {
  define(name, version)
  await cache.use(tenant, name, async ({ definition }) =>
    definition.version === version ? true : null,
  )
}

describe('prepared statements', () => {
  test('are for 100 tables', async () => {
    expect(await useAll(defineMany('t', 150))).toBe(100)
  })

  test('stay for all others when one table was changed 500 times', async () => {
    define('restless')
    for (let version = 2; version <= 500; version++) await evolve('restless', version)
    expect(await useAll(defineMany('t', 99))).toBe(99)
  })

  test('a table that was dropped needs none', async () => {
    const dropped = defineMany('t', 100)
    await useAll(dropped)
    for (const name of dropped) {
      catalogue.delete(name)
      await expect(cache.use(tenant, name, async () => null)).rejects.toMatchObject({
        code: 'TABLE_NOT_FOUND',
      })
    }
    expect(await useAll(defineMany('u', 100))).toBe(100)
  })

  test('move from a table unused for a minute to a used one', async () => {
    const first = defineMany('t', 100)
    await useAll(first)
    now += minute - 1
    await useAll(first.slice(1))
    define('new')
    expect(await isPrepared('new')).toBe(false)
    now += 1
    expect(await isPrepared('new')).toBe(true)
    expect(await isPrepared('t0')).toBe(false)
    expect(await useAll(first.slice(1))).toBe(99)
  })
})

describe('definitions', () => {
  test('are kept while they are used, even the oldest', async () => {
    define('favourite')
    await isPrepared('favourite')
    for (const name of defineMany('t', 4_000)) {
      await isPrepared(name)
      await isPrepared('favourite')
    }
    expect(reads).toBe(4_001)
    await isPrepared('t3999')
    expect(reads).toBe(4_001)
    await isPrepared('t0')
    expect(reads).toBe(4_002)
  })
})
