import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { HistoryRebuild } from '@surehook/contracts/http/webhooks/rebuild'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { type Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import * as store from '../src/rebuild/rebuild-store.ts'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const adminToken = 'token-of-the-administrator'

let world: World
let pool: Pool
/** Two replicas. */
let services: Running[]
let tenant: Tenant
let client: Client
let admin: Client
let id: string

beforeAll(async () => {
  world = await openWorld()
  pool = world.historyPool
  const change = { adminTokenDigests: [tokenDigest(adminToken)] }
  services = [await world.startService(change), await world.startService(change)]
})
afterAll(async () => {
  for (const service of services ?? []) await service[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  const [{ api } = { api: '' }] = services
  client = clientOf(api, tenant)
  admin = clientOf(api, { ...tenant, token: adminToken })
  id = (await client.call('POST', validInput(tenant))).body.id
})

/** The final status of each delivery. */
const lastStatus = new Map<unknown, string>()

/** Publishes a delivery that passes through these statuses. */
async function publish(statuses: readonly DeliveryAttempt['status'][]): Promise<string> {
  const { projectId, environment } = tenant
  const own = { deliveryId: randomUUID(), subscriptionId: id, projectId, environment }
  const job = aJob({ ...own, eventId: randomUUID(), createdAt: Date.now() - 60_000 })
  lastStatus.set(own.deliveryId, statuses.at(-1) ?? 'pending')
  const transitions = statuses.map((status, step) =>
    anAttempt({ ...own, eventId: job.eventId, createdAt: job.createdAt, status, step }),
  )
  await world.producer.send([
    { topic: deliveriesTopic, key: job.url, value: world.codec.job.encode(job) },
    ...transitions.map((transition) => ({
      topic: attemptsTopic,
      key: transition.deliveryId,
      value: world.codec.attempt.encode(transition),
    })),
  ])
  return own.deliveryId
}

/** Reads the rows; a line of the attempts may occur twice. */
async function rows(): Promise<Record<string, unknown>[]> {
  const { rows: found } = await pool.query(
    `select d.*, array(select distinct line from regexp_split_to_table(attempt_log, E'\\n') line
                       order by line) as attempt_log,
       -- What was counted before the last write depends on how many writes there were.
       counted & 2147483647 as counted
     from delivery d where subscription_id = $1 order by id`,
    [id],
  )
  return found
}

const isWritten = ({ id: delivery, job_offset: offset, status }: Record<string, unknown>) =>
  offset !== null && status === (lastStatus.get(delivery) ?? status)

const shows = (count: number) =>
  until(async () => (await rows()).filter(isWritten).length === count, {
    what: `${count} deliveries`,
  })

const askedFor = async (): Promise<HistoryRebuild> => {
  const { status, text } = await admin.call('POST /_history/rebuild')
  expect(status).toBe(202)
  return JSON.parse(text) as HistoryRebuild
}

async function finished(): Promise<HistoryRebuild> {
  let newest: HistoryRebuild | null = null
  const isDone = async () => {
    const { text } = await admin.call('GET /_history/rebuild')
    newest = (JSON.parse(text) as { rebuild: HistoryRebuild | null }).rebuild
    return newest?.state === 'done'
  }
  await until(isDone, { what: 'the rebuild', timeoutMs: 90_000 })
  return newest as unknown as HistoryRebuild
}

describe('a rebuild of the history', () => {
  it('makes the same rows while replicas follow the topics', async () => {
    await publish(['retrying', 'delivered'])
    await publish(['retrying', 'retrying', 'dead_letter'])
    await publish([])
    const again = await publish(['delivered'])
    await shows(4)
    const { status } = await client.call(`POST /${id}/deliveries/${again}/redeliver`)
    expect(status).toBe(202)
    await shows(5)
    const before = await rows()

    const { state } = await askedFor()
    expect(state).toBe('running')
    await publish(['delivered'])
    const { read, toRead, since } = await finished()

    expect(read).toBe(toRead)
    expect(Date.parse(since ?? '')).toBeLessThan(Date.now())
    await shows(6)
    const known = new Set(before.map((row) => row['id']))
    expect((await rows()).filter((row) => known.has(row['id']))).toEqual(before)
  })

  it('continues where a dead replica stopped', async () => {
    await publish(['delivered'])
    await shows(1)
    const before = await rows()
    const dead = { id: randomUUID(), by: randomUUID() }
    await pool.query(
      `insert into history_rebuild (id, state, taken_by, due_at)
       values ($1, 'emptied', $2, now() + interval '1 h')`,
      [dead.id, dead.by],
    )
    await pool.query('truncate delivery')

    await pool.query('update history_rebuild set due_at = now() where id = $1', [dead.id])
    await finished()
    await shows(1)
    expect(await rows()).toEqual(before)
    await expect(store.beginReading(pool, dead, [])).rejects.toThrow('Another replica')
    await expect(store.endRebuild(pool, dead)).rejects.toThrow('Another replica')
  })

  it('is one at a time', async () => {
    const [first, second] = await Promise.all([askedFor(), askedFor()])
    expect(first.id).toBe(second.id)
    await finished()
    expect((await askedFor()).id).not.toBe(first.id)
    await finished()
  })

  it('blocks operations that need the whole history', async () => {
    await pool.query(
      `insert into history_rebuild (id, state, due_at) values ($1, 'emptied', now() + interval '1 h')`,
      [randomUUID()],
    )
    const missing = randomUUID()
    const redelivery = await client.call(`POST /${id}/deliveries/${missing}/redeliver`)
    const recovery = await client.call(`POST /${id}/recover`, {
      since: new Date(0).toISOString(),
    })
    expect([redelivery.status, recovery.status]).toEqual([503, 503])
    expect(recovery.headers.get('retry-after')).not.toBeNull()

    await pool.query('update history_rebuild set due_at = now()')
    await finished()
    expect((await client.call(`POST /${id}/deliveries/${missing}/redeliver`)).status).toBe(404)
  })

  it('needs the administration token', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await client.call(`${method} /_history/rebuild`)
      expect([status, body.error]).toEqual([401, 'ADMIN_TOKEN_INVALID'])
    }
  })
})
