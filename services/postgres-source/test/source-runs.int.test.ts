import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import type { Client } from '@surehook/scripts/client/call'
import { query } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { Client as Database } from 'pg'
import { clientOf, untilSource } from './support/client.ts'
import {
  openShop,
  openWorld,
  type Running,
  type Shop,
  type Tenant,
  type World,
} from './support/under-test.ts'

const open = new AsyncDisposableStack()
let world: World
let running: Running
let shop: Shop
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = open.use(await openWorld())
  shop = open.use(await openShop())
  running = open.use(await world.startService())
})
afterAll(() => open.disposeAsync())

beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
  await world.table(tenant, 'orders', { name: 'shop', relation: 'public.orders', exclude: [] })
})

const isCapturing = ({ state }: Source) => state === 'capturing'

/** Keeps the service from a table of its own. */
async function lockTable(table: string): Promise<AsyncDisposable> {
  const locking = new Database({ connectionString: world.config.databaseUrl })
  await locking.connect()
  await locking.query('set idle_in_transaction_session_timeout = 0')
  await locking.query(`begin; lock table postgres_source.${table} in access exclusive mode`)
  return { [Symbol.asyncDispose]: () => locking.end() }
}

test('a reason tells of the database of the source, and nothing of what Surehook lacks itself', async () => {
  const reason = async () => {
    const source = await untilSource(client, ({ state }) => state === 'unreachable')
    return source.reason
  }
  {
    await using _locked = await lockTable('followed_table')
    await client.call('PUT _sources/shop', { url: shop.url })
    expect(await reason()).toBe('Surehook has an internal problem, and tries again')
  }
  await untilSource(client, isCapturing)
  const url = new URL(shop.url)
  url.password = 'wrong'
  await client.call('PUT _sources/shop', { url: url.href })
  expect(await reason()).toContain('password authentication failed')
  await client.call('PUT _sources/shop', { url: shop.url })
})

test('a replica that cannot extend its leases stops reading, and goes on once it can', async () => {
  await client.call('PUT _sources/shop', { url: shop.url })
  const { slot } = await untilSource(client, isCapturing)
  const isRead = async () => {
    const [found] = await query(
      shop.database.url,
      'select active from pg_replication_slots where slot_name = $1',
      [slot],
    )
    return found?.['active'] === true
  }
  await until(isRead)
  {
    await using _locked = await lockTable('replica')
    await until(async () => !(await isRead()))
  }
  await until(isRead)
  await shop.client.query('insert into orders values (1)')
  await world.changes.until(tenant.projectId, 1)
})
