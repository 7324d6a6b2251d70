import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { SubscriptionState } from '@surehook/contracts/events'
import { aChange } from '@surehook/contracts/testing/samples'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import { Client as PgClient } from 'pg'
import { walEnd } from './support/changes.ts'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let pg: PgClient
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  pg = new PgClient({ connectionString: world.database.adminUrl })
  await pg.connect()
})
afterAll(async () => {
  await pg?.end()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

async function stateOf(id: string): Promise<SubscriptionState> {
  const state = (await world.subscriptionStates()).get(id)
  if (state === undefined) throw new Error('no state')
  return state
}

/** The selections with which a matcher that starts now delivers a change of that position. */
async function selectsAt(id: string, walPosition: string): Promise<unknown[]> {
  const index = new SubscriptionIndex()
  index.apply(id, await stateOf(id))
  const record = { total: 5 }
  const event = aChange({ ...tenant, operation: 'INSERT', record: JSON.stringify(record) })
  const matched = index.match({ event, record, walPosition, loggedAt: 0 })
  return matched.map(({ select }) => select && [...select])
}

it('the last state alone decides each change as the state of its time did', async () => {
  const beforeIt = await walEnd(pg)
  const { id } = (await client.call('POST', { ...validInput(tenant), active: false })).body
  const positions = [beforeIt, await walEnd(pg)]
  const changes = [
    { active: true },
    { filter: { total: { gt: 9 } } },
    { filter: null, select: ['total'] },
    { url: 'https://receiver.example/other', policy: { concurrency: 3 } },
    { events: ['DELETE'] },
    { events: ['INSERT'] },
  ]
  for (const change of changes) {
    expect((await client.call(`PATCH /${id}`, change)).status).toBe(200)
    positions.push(await walEnd(pg))
  }
  expect((await client.call(`POST /${id}/cancel`, { status: 'paused' })).status).toBe(202)
  const found = []
  for (const position of positions) found.push(await selectsAt(id, position))
  expect(found).toEqual([[], [], [null], [], [['total']], [['total']], [], [['total']]])
  // Neither a URL nor a policy nor a cancellation makes a version.
  expect((await stateOf(id)).versions).toHaveLength(6)
})

it('lists at most 20 versions', async () => {
  const { id } = (await client.call('POST', validInput(tenant))).body
  for (let n = 1; n <= 21; n++) {
    expect((await client.call(`PATCH /${id}`, { filter: { total: n } })).status).toBe(200)
  }
  const { versions } = await stateOf(id)
  expect(versions.map(({ filter }) => filter)).toEqual(
    Array.from({ length: 20 }, (_, n) => JSON.stringify({ total: n + 2 })),
  )
})

it('lists the versions of an older webhook-api once this one relays', async () => {
  const wished = { ...validInput(tenant), select: ['total'] }
  const { id } = (await client.call('POST', wished)).body
  const whileActive = await walEnd(pg)
  await client.call(`PATCH /${id}`, { active: false })
  const listed = await stateOf(id)
  const restored = (await client.call('POST', wished)).body.id
  await service[Symbol.asyncDispose]()
  // As the older one left it: `lsn`, no position and no selection, and states without versions.
  await pg.query(
    `update webhook_api.subscription_version
     set lsn = ('0/0'::pg_lsn + ('x' || split_part(wal_position, '/', 3))::bit(64)::bigint),
         wal_position = null, selected = null`,
  )
  // The database was restored from a dump of another server, whose WAL was longer.
  await pg.query(
    `update webhook_api.subscription_version set lsn = 'FFFFFFFF/0' where subscription_id = $1`,
    [restored],
  )
  const value = world.codec.subscription.encode({ ...listed, versions: [] })
  await world.producer.send([{ topic: subscriptionsTopic, key: id, value }])
  expect((await stateOf(id)).versions).toEqual([])
  service = await world.startService()
  client = clientOf(service.api, tenant)
  await until(async () => (await stateOf(id)).versions.length > 0, { what: 'the versions' })
  expect((await stateOf(id)).versions).toEqual(listed.versions)
  expect(await selectsAt(id, whileActive)).toEqual([['total']])
  expect(await selectsAt(restored, await walEnd(pg))).toEqual([['total']])
})
