import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import type { Client } from '@surehook/scripts/client/call'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import { query } from '@surehook/testing/database'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { Pool } from 'pg'
import { purgeEnvironment } from '../src/sources/purge-environment.ts'
import { clientOf, untilSource } from './support/client.ts'
import {
  openShop,
  openWorld,
  prepareShop,
  type Running,
  type Shop,
  type Tenant,
  type World,
} from './support/under-test.ts'

let world: World
let running: Running
let shop: Shop
let proxy: TcpProxy
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(async () => {
  running = await world.startService()
  shop = await openShop()
  proxy = await TcpProxy.openTo(shop.url)
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
  await world.table(tenant, 'orders', { name: 'shop', relation: 'public.orders', exclude: [] })
})
afterEach(async () => {
  await running[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

const isCapturing = ({ state }: Source) => state === 'capturing'

async function capture(url: string): Promise<Source> {
  await client.call('PUT _sources/shop', { url })
  return untilSource(client, isCapturing)
}

const ofSlots = (statement: string) =>
  query(world.config.databaseUrl, statement, [tenant.projectId])
const leftSlots = () =>
  ofSlots('select attempts, url from postgres_source.left_slot where project_id = $1')
/** Slots wait until all replicas have seen the change, and longer after each failure. */
const makeDue = (set = '') =>
  ofSlots(`update postgres_source.left_slot set due_at = now() ${set} where project_id = $1`)

test('a process that ends leaves no slot: another one drops it, once the database is back', async () => {
  const { slot } = await capture(shop.urlAt(proxy.port))
  proxy.set({ kind: 'reset' })
  const { body } = await client.call<{ slotDropped: boolean }>('DELETE _sources/shop')
  expect(body.slotDropped).toBe(false)
  await running[Symbol.asyncDispose]()
  running = await world.startService()
  client = clientOf(running.api, tenant)
  expect((await client.call('GET _sources/shop')).status).toBe(404)
  await makeDue()
  await until(async () => Number((await leftSlots())[0]?.['attempts']) > 0)
  expect(await shop.slots()).toEqual([slot])
  // The name is free, and the source that gets it has a slot of its own.
  const again = await capture(shop.url)
  proxy.set({ kind: 'pass' })
  await makeDue()
  await until(async () => (await leftSlots()).length === 0)
  expect(await shop.slots()).toEqual([again.slot])
})

test('a slot in a database that stays away keeps no environment from being deleted, and is given up', async () => {
  const { slot } = await capture(shop.urlAt(proxy.port))
  proxy.set({ kind: 'reset' })
  await client.call('DELETE _sources/shop')
  await using open = new AsyncDisposableStack()
  const { databaseUrl: connectionString } = world.config
  const pool = open.adopt(new Pool({ connectionString }), (one) => one.end())
  const parts = {
    drop: () => Promise.reject(new Error('there is no source')),
    mayGoOn: () => Promise.resolve(true),
  }
  const purge = () => purgeEnvironment(pool, tenant, parts)
  expect(await purge()).toBe(false)
  await makeDue()
  await until(async () => Number((await leftSlots())[0]?.['attempts']) > 0)
  const soon = await ofSlots(
    `select from postgres_source.left_slot
      where project_id = $1 and give_up_at <= now() + interval '1 hour'`,
  )
  expect(soon).toHaveLength(1)
  await makeDue(', give_up_at = now()')
  await until(async () => (await leftSlots()).length === 0)
  const metrics = await (await fetch(`${running.internal}/metrics`)).text()
  expect(/^surehook_source_slots_given_up_total\S* (\d+)$/m.exec(metrics)?.[1]).toBe('1')
  expect(await shop.slots()).toEqual([slot])
})

test('a source that moves leaves no slot in the other cluster, and keeps it in its own', async () => {
  await using other = await openOwnStack({ only: ['postgres'] })
  const { slot } = await capture(shop.url)
  // Another address of the same server.
  await capture(shop.urlAt(proxy.port))
  await makeDue()
  await until(async () => (await leftSlots()).length === 0)
  // Had the slot been dropped, the next one would have begun with a gap.
  await shop.client.query('insert into orders values (1)')
  await world.changes.until(tenant.projectId, 1)
  expect((await untilSource(client, isCapturing)).gap).toBeNull()
  const name = new URL(shop.url).pathname.slice(1)
  await query(other.databaseUrl, `create database ${name}`)
  const moved = new URL(other.databaseUrl)
  moved.pathname = `/${name}`
  await prepareShop(moved.href)
  await client.call('PUT _sources/shop', { url: `${moved.href}?sslmode=disable` })
  const { gap } = await untilSource(client, (source) => isCapturing(source) && source.gap !== null)
  expect(gap?.reason).toBe('other_cluster')
  await makeDue()
  await until(async () => (await leftSlots()).length === 0)
  expect(await shop.slots()).toEqual([])
  expect(await query(moved.href, 'select slot_name from pg_replication_slots')).toEqual([
    { slot_name: slot },
  ])
})
