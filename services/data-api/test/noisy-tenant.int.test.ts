import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Client as Connection } from 'pg'
import { quoteIdent } from '../src/sql/quote.ts'
import { schemaName } from '../src/tables/ddl/schema-name.ts'
import { clientOf } from './support/client.ts'
import { type LockingWorld, openLockingWorld } from './support/locking-world.ts'
import type { Running, Tenant, World } from './support/under-test.ts'

let opened: LockingWorld
let world: World
let running: Running
let admin: Connection
let locker: Connection

beforeAll(async () => {
  // With the wait for a connection of an installation.
  opened = await openLockingWorld(({ database: { databaseUrl } }) => ({ databaseUrl }))
  ;({ world, running, admin, locker } = opened)
})

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]()
})

async function tenantWithRecord(
  name: Partial<Tenant> = {},
): Promise<{ tenant: Tenant; client: Client }> {
  const tenant = await world.tenant(name)
  const client = clientOf(running.api, tenant)
  await client.call('PUT _tables/things', { columns: [{ name: 'a', type: 'integer' }] })
  await client.call('POST things', { a: 1 })
  return { tenant, client }
}

async function waitingForLocks(): Promise<number> {
  const { rowCount } = await admin.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount ?? 0
}

describe('a tenant whose queries are slow', () => {
  test('holds half of the connections with all environments of its project', async () => {
    const { projectId } = await world.tenant()
    const [master, staging] = [
      await tenantWithRecord({ projectId }),
      await tenantWithRecord({ projectId, environment: 'staging' }),
    ]
    const quick = await tenantWithRecord()
    const half = world.config.poolSize / 2

    await locker.query('begin')
    const tables = [master, staging].map(({ tenant }) => `${quoteIdent(schemaName(tenant))}.things`)
    await locker.query(`lock table ${tables.join()}`)
    const lists = [master, staging].flatMap(({ client }) =>
      Array.from({ length: half + 2 }, () => client.call('GET things')),
    )
    await until(async () => (await waitingForLocks()) >= half, {
      what: 'lists that wait for the lock',
    })
    // More than the wait for a connection: all lists have a slot, or are refused.
    await Promise.race(lists)
    expect(await waitingForLocks()).toBe(half)
    expect((await quick.client.call('GET things')).status).toBe(200)
    await locker.query('commit')
    await Promise.all(lists)
  })

  test("holds half of the connections; its other requests wait 3 s, and no other tenant's do", async () => {
    const slow = await tenantWithRecord()
    const quick = await tenantWithRecord()
    const half = world.config.poolSize / 2

    await locker.query('begin')
    await locker.query(`lock table ${quoteIdent(schemaName(slow.tenant))}.things`)
    const lists = Array.from({ length: half + 12 }, () => slow.client.call('GET things'))
    await until(async () => (await waitingForLocks()) >= half, {
      what: 'lists that wait for the lock',
    })

    // A request that waits for a connection gets 503.
    for (const request of ['GET things', 'GET _tables', 'GET things']) {
      expect((await quick.client.call(request)).status).toBe(200)
    }
    expect(await waitingForLocks()).toBe(half)

    const refused = await Promise.race(lists)
    expect([refused.status, refused.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await locker.query('commit')
    const statuses = (await Promise.all(lists)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(half)
    expect((await slow.client.call('GET things')).status).toBe(200)
  })
})
