import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { type DedupeStore, memoryStore } from '../src/index.ts'

// The stores of the guide, as it prints them.
const guide = new URL('../../../docs/guides/receiver-package.md', import.meta.url)

const schema = `stores_${randomUUID().replaceAll('-', '')}`
const pool = new Pool({
  connectionString: process.env['TEST_DATABASE_URL'] ?? '',
  options: `-c search_path=${schema}`,
})
const redis = createClient({ url: process.env['TEST_REDIS_URL'] ?? '' })
type PrintedStores = {
  postgresStore: (pool: Pool) => DedupeStore
  redisStore: (client: typeof redis) => DedupeStore
}

const stores = new Map<string, DedupeStore>([['memory', memoryStore()]])

beforeAll(async () => {
  const page = await readFile(guide, 'utf8')
  const [, table = ''] = /```sql\n(.*?)```/s.exec(page) ?? []
  const code = [...page.matchAll(/```js\n(const \w+Store = .*?)```/gs)].map(([, block]) => block)
  const dir = await mkdtemp(join(tmpdir(), 'surehook-stores-'))
  const names = 'export { postgresStore, redisStore }'
  await writeFile(`${dir}/stores.mjs`, [...code, names].join('\n'))
  const printed = (await import(`${dir}/stores.mjs`)) as PrintedStores
  await rm(dir, { recursive: true })
  await pool.query(`CREATE SCHEMA ${schema}`)
  await pool.query(table)
  await redis.connect()
  stores.set('PostgreSQL', printed.postgresStore(pool)).set('Redis', printed.redisStore(redis))
})
afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`)
  await pool.end()
  redis.destroy()
})

describe.each(['memory', 'PostgreSQL', 'Redis'])('the store in %s', (name) => {
  const storeOf = (): DedupeStore => {
    const store = stores.get(name)
    if (store === undefined) throw new Error(`no store ${name}`)
    return store
  }

  it('gives an id to one of many that claim it at once', async () => {
    const id = randomUUID()
    const tokens = Array.from({ length: 20 }, () => randomUUID())
    const outcomes = await Promise.all(tokens.map((token) => storeOf().claim(id, token, 60_000)))
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(19)
  })

  it('remembers what was handled', async () => {
    const id = randomUUID()
    await storeOf().claim(id, 'a', 60_000)
    await storeOf().complete(id)
    await storeOf().release(id, 'a')
    expect(await storeOf().claim(id, 'b', 60_000)).toBe('done')
  })

  it('gives an id back after a failure, only to its owner', async () => {
    const id = randomUUID()
    await storeOf().claim(id, 'a', 60_000)
    await storeOf().release(id, 'b')
    expect(await storeOf().claim(id, 'b', 60_000)).toBe('busy')
    await storeOf().release(id, 'a')
    expect(await storeOf().claim(id, 'b', 60_000)).toBe('claimed')
  })

  it('gives an id again when its lease is over', async () => {
    const id = randomUUID()
    expect(await storeOf().claim(id, 'a', 1)).toBe('claimed')
    let outcome: string
    do outcome = await storeOf().claim(id, 'b', 60_000)
    while (outcome === 'busy')
    expect(outcome).toBe('claimed')
  })
})
