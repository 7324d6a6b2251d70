import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import type { Client } from '@surehook/scripts/client/call'
import { query } from '@surehook/testing/database'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { clientOf, untilSource } from './support/client.ts'
import {
  openShop,
  openWorld,
  type Running,
  type Shop,
  type Tenant,
  type World,
} from './support/under-test.ts'

let world: World
let running: Running
let shop: Shop
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(async () => {
  running = await world.startService()
  shop = await openShop()
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
})
afterEach(async () => {
  await client.call('DELETE _sources/shop')
  await running[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

const orders = { name: 'shop', relation: 'public.orders', exclude: [] as string[] }
const isCapturing = ({ state }: Source) => state === 'capturing'

async function startCapture(input: object = {}): Promise<Source> {
  await world.table(tenant, 'orders', orders)
  await client.call('PUT _sources/shop', { url: shop.url, ...input })
  return untilSource(client, isCapturing)
}

const events = () => world.changes.of(tenant.projectId)
const recordsOf = (table: string) =>
  events()
    .filter((event) => event.table === table)
    .map(({ operation, recordId }) => `${operation} ${recordId}`)

test('the SQL that a source shows prepares the database, and its rows become events', async () => {
  await using bare = await openShop({ isPrepared: false })
  await world.table(tenant, 'orders', orders)
  await client.call('PUT _sources/shop', { url: bare.url })
  const { findings } = await untilSource(client, ({ findings: found }) =>
    found.some(({ level }) => level === 'wrong'),
  )
  for (const statement of findings
    .filter(({ level }) => level === 'wrong')
    .flatMap(({ sql }) => sql))
    await bare.client.query(statement)
  const source = await untilSource(client, isCapturing)
  expect(source.tables).toEqual([{ table: 'orders', relation: 'public.orders' }])
  await bare.client.query(`insert into orders values (1, 'new')`)
  const [event] = await world.changes.until(tenant.projectId, 1)
  expect(event).toMatchObject({
    ...{ table: 'orders', operation: 'INSERT', recordId: '1', source: 'postgres/shop' },
    data: { id: 1, state: 'new' },
  })
  await untilSource(client, ({ lastChangeAt }) => lastChangeAt !== null)
  await client.call('DELETE _sources/shop')
})

test('columns are published before the first row, and again when the table changes', async () => {
  const ofOrders = () => world.columnsOf(tenant, 'orders')
  await startCapture()
  expect(await ofOrders()).toEqual([
    { name: 'id', type: 'integer' },
    { name: 'state', type: 'text' },
  ])
  await shop.client.query('alter table orders drop column state, add column "Total" numeric')
  await shop.client.query('insert into orders values (1, 2.5)')
  await world.changes.until(tenant.projectId, 1)
  expect(await ofOrders()).toEqual([
    { name: 'id', type: 'integer' },
    { name: 'Total', type: 'decimal' },
  ])
})

test('a renamed relation is still followed, and an excluded column never leaves the service', async () => {
  await world.table(tenant, 'orders', { ...orders, exclude: ['state'] })
  await client.call('PUT _sources/shop', { url: shop.url })
  await untilSource(client, isCapturing)
  await shop.client.query('alter table orders rename to purchases')
  await running[Symbol.asyncDispose]()
  running = await world.startService()
  client = clientOf(running.api, tenant)
  await untilSource(client, isCapturing)
  await shop.client.query(`insert into purchases values (1, 'secret')`)
  const [event] = await world.changes.until(tenant.projectId, 1)
  expect(event?.data).toEqual({ id: 1 })
})

test('what was committed while the service was away arrives, once it is back', async () => {
  await startCapture()
  await running[Symbol.asyncDispose]()
  await shop.client.query('insert into orders select generate_series(1, 500)')
  running = await world.startService()
  client = clientOf(running.api, tenant)
  const all = await world.changes.until(tenant.projectId, 500)
  expect(new Set(all.map(({ recordId }) => recordId)).size).toBe(500)
  expect((await untilSource(client, isCapturing)).gap).toBeNull()
})

test.each([
  ['slot_ahead', `select pg_replication_slot_advance($1, pg_current_wal_lsn())`],
  ['slot_missing', `select pg_drop_replication_slot($1)`],
])('a slot that somebody moved is a gap: %s', async (reason, statement) => {
  const { slot } = await startCapture()
  await running[Symbol.asyncDispose]()
  await shop.client.query('insert into orders values (1)')
  await shop.client.query(statement, [slot])
  running = await world.startService()
  client = clientOf(running.api, tenant)
  const { gap } = await untilSource(client, (source) => isCapturing(source) && source.gap !== null)
  expect(gap?.reason).toBe(reason)
  await shop.client.query('insert into orders values (2)')
  await world.changes.until(tenant.projectId, () => recordsOf('orders').length > 0)
  expect(recordsOf('orders')).toEqual(['INSERT 2'])
  expect(events().find(({ table }) => table === '_sources')?.data).toEqual({
    ...{ source: 'shop', event: 'gap', reason },
  })
})

test('a table that cannot be captured stops no other one, and its missed changes are a gap', async () => {
  await shop.client.query('create table items (id int primary key)')
  await shop.client.query('alter table items replica identity full')
  await shop.client.query('alter publication surehook add table items')
  await world.table(tenant, 'items', { ...orders, relation: 'public.items' })
  await world.table(tenant, 'typo', { ...orders, relation: 'public.nothing' })
  await startCapture()
  await shop.client.query('insert into items values (1)')
  await world.changes.until(tenant.projectId, () => recordsOf('items').length === 1)
  await shop.client.query('drop table items')
  await shop.client.query('create table items (id int primary key)')
  const { gap, findings } = await untilSource(client, (source) => source.gap !== null)
  expect(gap).toMatchObject({ reason: 'table_left_out', table: 'items' })
  expect(findings.map(({ relation }) => relation)).toContain('public.nothing')
  await shop.client.query('insert into orders values (1)')
  await world.changes.until(tenant.projectId, () => recordsOf('orders').length === 1)
})

test('a table that is made anew is followed from its first row on', async () => {
  await shop.client.query('drop publication surehook')
  await shop.client.query('create publication surehook for all tables')
  await startCapture()
  await shop.client.query('insert into orders values (1)')
  await world.changes.until(tenant.projectId, 1)
  await shop.client.query('begin; drop table orders; create table orders (id int primary key)')
  await shop.client.query('alter table orders replica identity full')
  await shop.client.query('insert into orders values (2); commit')
  await world.changes.until(tenant.projectId, () => recordsOf('orders').length === 2)
  expect(recordsOf('orders')).toEqual(['INSERT 1', 'INSERT 2'])
})

test('a column that is left out stays left out: under another name, no row of it is sent', async () => {
  await world.table(tenant, 'orders', { ...orders, exclude: ['state'] })
  await client.call('PUT _sources/shop', { url: shop.url })
  await untilSource(client, isCapturing)
  await shop.client.query('insert into orders values (1)')
  await world.changes.until(tenant.projectId, 1)
  await shop.client.query('alter table orders rename column state to status')
  await shop.client.query(`insert into orders values (2, 'secret')`)
  const { gap } = await untilSource(client, (source) => source.gap !== null)
  expect(gap).toMatchObject({ reason: 'table_left_out', table: 'orders' })
  const { findings } = await untilSource(client, ({ findings: found }) =>
    found.some(({ says }) => says.includes('no column state')),
  )
  expect(findings.filter(({ level }) => level === 'wrong')).toMatchObject([
    { relation: 'public.orders' },
  ])
  expect(JSON.stringify(events())).not.toContain('secret')
})

test('a source that waits for its preparation keeps to its budget, too', async () => {
  await startCapture({ walBudget: 64 * 2 ** 20 })
  await shop.client.query('drop publication surehook')
  await untilSource(client, ({ state }) => state === 'unprepared')
  await query(
    shop.database.url,
    `select count(pg_logical_emit_message(false, 'x', repeat('x', 1000000)))
       from generate_series(1, 80)`,
  )
  const { gap } = await untilSource(client, (source) => source.gap !== null)
  expect(gap?.reason).toBe('budget_exhausted')
  expect(await shop.slots()).toEqual([])
})

test('a slot that keeps more WAL than its budget is dropped, which is a gap', async () => {
  const { slot } = await startCapture({ walBudget: 64 * 2 ** 20 })
  // An open transaction holds the slot back, whatever is confirmed.
  await shop.client.query('begin')
  await shop.client.query('insert into orders values (1)')
  await query(
    shop.database.url,
    `select count(pg_logical_emit_message(false, 'x', repeat('x', 1000000)))
       from generate_series(1, 80)`,
  )
  const { gap } = await untilSource(client, (source) => source.gap !== null)
  expect(gap?.reason).toBe('budget_exhausted')
  await shop.client.query('commit')
  const created = `select from pg_replication_slots
    where slot_name = $1 and confirmed_flush_lsn is not null`
  await until(async () => (await query(shop.database.url, created, [slot])).length === 1)
  await shop.client.query('insert into orders values (2)')
  await world.changes.until(tenant.projectId, () => recordsOf('orders').length > 0)
  expect(recordsOf('orders')).toEqual(['INSERT 2'])
  expect(await shop.slots()).toEqual([slot])
})

test('a deleted source leaves no slot, also if its environment is deleted', async () => {
  await startCapture()
  expect((await client.call('DELETE _sources/shop')).body).toEqual({ slotDropped: true, sql: [] })
  expect(await shop.slots()).toEqual([])
  await startCapture()
  await world.deleteEnvironment(tenant)
  await until(async () => (await shop.slots()).length === 0)
  await until(() => world.isPurged(tenant))
})

test('a database that is away when its source is deleted: the answer has the SQL to run', async () => {
  const { slot } = await startCapture()
  await using proxy = await TcpProxy.openTo(shop.url)
  await client.call('PUT _sources/shop', { url: shop.urlAt(proxy.port) })
  await untilSource(client, isCapturing)
  proxy.set({ kind: 'reset' })
  expect((await client.call('DELETE _sources/shop')).body).toEqual({
    slotDropped: false,
    sql: [expect.stringContaining(`'${slot}'`)],
  })
})

test('two replicas share the sources, and one takes those of the other', async () => {
  await using second = await world.startService()
  const names = ['shop', 'shop_2', 'shop_3', 'shop_4']
  await world.table(tenant, 'orders', orders)
  for (const name of names) await client.call(`PUT _sources/${name}`, { url: shop.url })
  const owners = () =>
    query(
      world.config.databaseUrl,
      `select count(*)::int as sources from postgres_source.source
        where project_id = $1 and owner is not null group by owner order by 1`,
      [tenant.projectId],
    )
  await until(async () => JSON.stringify(await owners()) === '[{"sources":2},{"sources":2}]')
  await second[Symbol.asyncDispose]()
  await until(async () => JSON.stringify(await owners()) === '[{"sources":4}]')
  for (const name of names) await client.call(`DELETE _sources/${name}`)
})
