import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import { parseLsn } from '@surehook/change-capture/slot/lsn'
import type { Ledger } from '@surehook/contracts/http/webhooks/ledger'
import { changesTopic, subscriptionsTopic } from '@surehook/contracts/topics'
import {
  formatWalPosition,
  walPositionHeader,
  walPositionOf,
} from '@surehook/contracts/wal-position'
import { openLogReader } from '@surehook/kafka/readers/log-reader'
import { Client as PgClient } from 'pg'
import { logChanges } from './support/changes.ts'
import { clientOf, validInput } from './support/client.ts'
import { finishAll } from './support/published-deliveries.ts'
import { readLog } from './support/read-log.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const adminToken = 'token-of-the-administrator'
const startedAt = new Date()
let world: World
let service: Running

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService({ adminTokenDigests: [tokenDigest(adminToken)] })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type OutgoingState = { value: Buffer | null; headers: Record<string, string> }

async function ledger(tenant: Tenant): Promise<Ledger> {
  const query = new URLSearchParams({
    from: startedAt.toISOString(),
    project: tenant.projectId,
  })
  const client = clientOf(service.api, { ...tenant, token: adminToken })
  const { status, text } = await client.call(`GET /_ledger?${query}`)
  expect([status, text]).toEqual([200, expect.any(String)])
  return JSON.parse(text) as Ledger
}

/** Returns the present WAL position. */
async function walPosition(): Promise<string> {
  const pg = new PgClient({ connectionString: world.database.adminUrl })
  await pg.connect()
  const { rows } = await pg.query<{ system: string; lsn: string }>(
    `select (select system_identifier::text from pg_control_system()) as system,
            pg_current_wal_insert_lsn()::text as lsn`,
  )
  await pg.end()
  const [{ system, lsn }] = rows as [{ system: string; lsn: string }]
  return formatWalPosition({ systemId: system, timeline: '1' }, parseLsn(lsn))
}

/** Returns the records of a subscription on its topic, oldest first. */
async function statesOf(subscription: string) {
  const { kafka } = world
  await using reader = openLogReader({ kafka, topic: subscriptionsTopic, clientId: 'test', log })
  const states: OutgoingState[] = []
  for await (const { key, value, headers } of readLog(reader)) {
    const position = walPositionOf(headers)
    if (String(key) !== subscription || position === null) continue
    states.push({ value, headers: { [walPositionHeader]: position } })
  }
  return states as [OutgoingState, OutgoingState, OutgoingState]
}

it('the ledger knows a deleted subscription when a relay repeats its last states', async () => {
  const tenant = await world.tenant()
  const client = clientOf(service.api, tenant)
  await logChanges(world, tenant, [{ table: 'invoices', walPosition: await walPosition() }])
  const made = await client.call('POST', { ...validInput(tenant), table: 'invoices' })
  const { id: deleted } = made.body
  await client.call(`PATCH /${deleted}`, { url: 'https://receiver.example/other' })
  await client.call(`DELETE /${deleted}`)
  await finishAll(world, 'webhook-matcher', changesTopic)
  const [, patched, tombstone] = await statesOf(deleted)
  for (const { value, headers } of [patched, tombstone]) {
    await world.producer.send([{ topic: subscriptionsTopic, key: deleted, value, headers }])
  }
  const { closes, total } = await ledger(tenant)
  expect(total).toMatchObject({ matched: 0, neverMatched: 0 })
  expect(closes).toBe(true)
})
