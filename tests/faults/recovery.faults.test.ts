import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { Client } from 'pg'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

let world: ListeningWorld

beforeAll(async () => {
  world = await openListeningWorld({ replicas: { 'webhook-api': 2 } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const count = 3_000

/** Inserts dead letters of today into the log. Their bodies are numbered. */
async function deadLetters(tenant: Tenant, subscriptionId: string): Promise<void> {
  const database = new Client({ connectionString: world.system.endpoints.databaseUrl })
  await database.connect()
  try {
    await database.query('set search_path = webhook_api')
    await database.query(
      `insert into delivery (day, id, created_at, event_id, subscription_id, project_id,
         environment, status, step, moved_at, attempts, attempt_step, attempted_at,
         watched_table, operation, webhook_id, body)
       select (now() at time zone 'UTC')::date, gen_random_uuid(), now(), 'event-' || n, $1::uuid,
         $2, $3, 'dead_letter', 5, now() - interval '1 minute', 5, 5, now(), 'orders', 'INSERT',
         gen_random_uuid(), convert_to('{"n":"event-' || n || '"}', 'UTF8')
       from generate_series(1, $4::integer) n`,
      [subscriptionId, tenant.projectId, tenant.environment, count],
    )
  } finally {
    await database.end()
  }
}

/** Returns the original of each delivered redelivery, by id. */
async function allDelivered(tenant: Tenant, subscriptionId: string) {
  const found = new Map<string, string | null>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const path = `GET /${subscriptionId}/deliveries?limit=1000&status=delivered${query}`
    const { body } = await eventually(
      () => tenant.webhooks(path),
      ({ status }) => status === 200,
    )
    for (const { id, redeliveryOf } of body.deliveries) found.set(id, redeliveryOf)
    cursor = body.nextCursor
  }
  return found
}

it('SIGKILL of every webhook-api during a recovery loses and repeats no delivery', async () => {
  const tenant = await world.tenant()
  const listener = await world.listen(tenant)
  // The first delivery makes today's partitions.
  const test = expectStatus(202, await tenant.webhooks(`POST /${listener.id}/test`)).body
  await listener.arrived(1)
  await deadLetters(tenant, listener.id)

  const since = new Date(Date.now() - 3_600_000).toISOString()
  const key = { 'idempotency-key': randomUUID() }
  const recover = () => tenant.webhooks(`POST /${listener.id}/recover`, { since }, key)
  expect(expectStatus(202, await recover()).body).toEqual({ count })
  for (const at of [100, 1_000]) {
    await listener.arrived(at, 60_000)
    for (const replica of world.system.services['webhook-api']) {
      await replica.kill('SIGKILL')
      await replica.restart()
    }
  }
  await listener.arrived(count + 1, 60_000)
  // A repeated request, as from a client without an answer, changes nothing.
  const again = await eventually(recover, ({ status }) => status === 202, 30_000)
  expect(again.body).toEqual({ count })

  const bodies = listener.receipts.map(({ body }) => body)
  expect(new Set(bodies).size).toBe(count + 1)
  // The history follows after the session timeout of the killed replicas in its consumer group.
  const delivered = await eventually(
    () => allDelivered(tenant, listener.id),
    (all) => all.size === count + 1,
    60_000,
  )
  delivered.delete(test.deliveryId)
  expect(new Set(delivered.values()).size).toBe(count)
  expect(bodies).toHaveLength(count + 1)
}, 180_000)
