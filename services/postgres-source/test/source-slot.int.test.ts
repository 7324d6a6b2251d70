import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createDatabase, type TestDatabase } from '@surehook/testing/database'
import { Client } from 'pg'
import { gapOf, type StoredSlot } from '../src/slot/continuity.ts'
import { createSourceSlot, dropSourceSlot, readSourceSlot } from '../src/slot/source-slot.ts'

let database: TestDatabase
let client: Client
let slot: string

beforeAll(async () => {
  database = await createDatabase()
  slot = `source_${database.suffix}`
  client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query('create publication shop for all tables')
  await client.query('create table orders (id int primary key)')
})
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

const write = () => client.query('insert into orders select count(*) from orders')

async function stored(): Promise<StoredSlot> {
  const { systemId, timeline, slot: found } = await readSourceSlot(client, slot)
  return { systemId, timeline, acknowledged: found?.confirmed ?? 0n }
}
const gap = async (known: StoredSlot | null) => gapOf(known, await readSourceSlot(client, slot))

test('a slot that somebody advanced, recreated or dropped is a gap, one that is behind is none', async () => {
  expect(await gap(null)).toBeNull()
  await createSourceSlot(client, slot)
  const created = await stored()
  expect(await gap(created)).toBeNull()
  await write()
  expect(await gap({ ...created, acknowledged: created.acknowledged + 1n })).toBeNull()
  await client.query('select pg_replication_slot_advance($1, pg_current_wal_lsn())', [slot])
  expect(await gap(created)).toBe('slot_ahead')
  const advanced = await stored()
  await write()
  expect(await dropSourceSlot(client, slot)).toBe(true)
  expect(await dropSourceSlot(client, slot)).toBe(false)
  expect(await gap(advanced)).toBe('slot_missing')
  await createSourceSlot(client, slot)
  expect(await gap(advanced)).toBe('slot_ahead')
  expect(await gap({ ...(await stored()), systemId: '1' })).toBe('other_cluster')
})

test('the WAL that is kept for the slot grows until it is confirmed', async () => {
  const before = (await readSourceSlot(client, slot)).retained
  await client.query(`select pg_logical_emit_message(true, 'x', repeat('x', 1000000))`)
  expect((await readSourceSlot(client, slot)).retained).toBeGreaterThan(before + 1_000_000)
})
