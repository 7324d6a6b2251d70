import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { listDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import type { Replay } from '@surehook/contracts/http/webhooks/log'
import type { ReplyOf } from '@surehook/contracts/operation'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { Client } from 'pg'
import { type ListeningWorld, openListeningWorld } from '../support/listening-world.ts'
import { eventually, openWorldWithStack } from '../support/world.ts'

let world: ListeningWorld

beforeAll(async () => {
  world = await openListeningWorld({ replicas: { 'webhook-api': 2 } }, openWorldWithStack)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const deadCount = 3_000

/** Inserts dead letters of today into the log. Their bodies are numbered. */
async function deadLetters(tenant: Tenant, subscriptionId: string): Promise<void> {
  const database = new Client({
    connectionString: siblingUrl(world.system.endpoints.databaseUrl, 'history'),
  })
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
      [subscriptionId, tenant.projectId, tenant.environment, deadCount],
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
      () => tenant.webhooks<ReplyOf<typeof listDeliveries>>(path),
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
  const test = await tenant.sendTest(listener.id)
  await listener.arrived(1)
  await deadLetters(tenant, listener.id)

  const since = new Date(Date.now() - 3_600_000).toISOString()
  const key = { 'idempotency-key': randomUUID() }
  const recover = () => tenant.webhooks(`POST /${listener.id}/recover`, { since }, key)
  // With its key, a request that got 503 can be repeated.
  const recovering = await eventually(recover, ({ status }) => status !== 503)
  expect(expectStatus(202, recovering).body).toEqual({ count: deadCount })
  for (const at of [100, 1_000]) {
    await listener.arrived(at)
    for (const replica of world.system.services['webhook-api']) {
      await replica.kill('SIGKILL')
      await replica.restart()
    }
  }
  await listener.arrived(deadCount + 1)
  // A repeated request, as from a client without an answer, changes nothing.
  const again = await eventually(recover, ({ status }) => status === 202)
  expect(again.body).toEqual({ count: deadCount })

  const bodies = listener.receipts.map(({ body }) => body)
  expect(new Set(bodies).size).toBe(deadCount + 1)
  // The history follows after the session timeout of the killed replicas in its consumer group.
  const delivered = await eventually(
    () => allDelivered(tenant, listener.id),
    (all) => all.size === deadCount + 1,
  )
  delivered.delete(test.deliveryId)
  expect(new Set(delivered.values()).size).toBe(deadCount)
  expect(bodies).toHaveLength(deadCount + 1)
})

const changeCount = 1_000

it('SIGKILL of every webhook-api during a replay loses and repeats no delivery', async () => {
  const tenant = await world.tenant()
  const neighbour = await world.tenant()
  const from = new Date(Date.now() - 60_000).toISOString()
  await neighbour.insert({ n: -1 })
  for (let n = 0; n < changeCount; n += 100) {
    const records = Array.from({ length: 100 }, (_, place) => ({ n: n + place }))
    expectStatus(201, await tenant.rest('POST orders', records))
  }
  const witness = await world.listen(tenant)
  const listener = await world.listen(tenant)
  await tenant.insert({ n: changeCount })
  // Everything written so far is on the log.
  await Promise.all([witness.arrived(1), listener.arrived(1)])

  const key = { 'idempotency-key': randomUUID() }
  const replay = () => tenant.webhooks(`POST /${listener.id}/replay`, { from }, key)
  const { replayId } = expectStatus(202, await replay()).body as unknown as { replayId: string }
  const path = `GET /${listener.id}/replays/${replayId}`
  const read = async () => (await tenant.webhooks<Replay>(path)).body
  // A batch is committed now, but may or may not have been sent.
  await eventually(read, ({ deliveries }) => deliveries >= changeCount / 3)
  const replicas = world.system.services['webhook-api']
  await Promise.all(replicas.map((replica) => replica.kill('SIGKILL')))
  await Promise.all(replicas.map((replica) => replica.restart()))
  // A repeated request, as from a client without an answer, gets the same replay.
  const again = await eventually(replay, ({ status }) => status === 202)
  expect(again.body).toEqual({ replayId })
  // The turn of a killed process lasts a minute.
  const ended = await eventually(read, ({ state }) => state !== 'running', 150_000)
  expect(ended).toMatchObject({
    state: 'done',
    scanned: changeCount + 1,
    deliveries: changeCount + 1,
  })

  await listener.arrived(changeCount + 2)
  const numbers = listener.payloads.map(({ record }) => record['n'] as number)
  const all = Array.from({ length: changeCount + 1 }, (_, n) => n)
  // Each change arrives once more, and the last one also arrived when it was made.
  expect(numbers.toSorted((a, b) => a - b)).toEqual([...all, changeCount])
  expect(new Set(listener.receipts.map(({ headers }) => headers['webhook-id'])).size).toBe(
    changeCount + 1,
  )
  expect(witness.receipts).toHaveLength(1)
})
