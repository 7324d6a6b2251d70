import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import type { ChangeEvent } from '@surehook/contracts/events'
import type { Ledger } from '@surehook/contracts/http/webhooks/ledger'
import { newEventId } from '@surehook/contracts/ids'
import * as topics from '@surehook/contracts/topics'
import { type Client } from '@surehook/scripts/client/call'
import { Client as PgClient } from 'pg'
import { type ChangeFields, logChanges, walEnd } from './support/changes.ts'
import { clientOf, validInput } from './support/client.ts'
import {
  deleteAll,
  finishAll,
  finishNewest,
  PublishedDeliveries,
} from './support/published-deliveries.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const adminToken = 'token-of-the-administrator'
const retries = topics.retryTopic('5m')

let world: World
let service: Running
let pg: PgClient
let tenant: Tenant
let client: Client
let startedAt: Date
/** The test's only subscription, and its deliveries. */
let id: string
let published: PublishedDeliveries

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService({ adminTokenDigests: [tokenDigest(adminToken)] })
  pg = new PgClient({ connectionString: world.database.adminUrl })
  await pg.connect()
})
afterAll(async () => {
  await pg?.end()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  startedAt = new Date()
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  id = (await client.call('POST', validInput(tenant))).body.id
  published = new PublishedDeliveries(world, id)
})

const ask = (query: Record<string, string> = {}, token = adminToken) =>
  clientOf(service.api, { ...tenant, token }).call(
    `GET /_ledger?${new URLSearchParams({ from: startedAt.toISOString(), project: tenant.projectId, ...query })}`,
  )

async function ledger(query: Record<string, string> = {}): Promise<Ledger> {
  const { status, text } = await ask(query)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as Ledger
}

/** Logs changes with successive WAL positions. */
async function logged(count: number, change: ChangeFields = {}): Promise<ChangeEvent[]> {
  const walPosition = await walEnd(pg)
  return logChanges(
    world,
    tenant,
    Array.from({ length: count }, () => ({ walPosition, ...change })),
  )
}

async function oneLogged(change: ChangeFields = {}): Promise<ChangeEvent> {
  const [event] = await logged(1, change)
  if (event === undefined) throw new Error('no change')
  return event
}

const matchedAll = () => finishAll(world, 'webhook-matcher', topics.changesTopic)
const dispatched = (topic: string) => finishAll(world, 'webhook-dispatcher', topic)

describe('the ledger', () => {
  it('reports where each delivery is, and closes', async () => {
    const [delivered, dead, cancelled, retrying, paused, pending] = (await logged(6)) as [
      ChangeEvent,
      ChangeEvent,
      ChangeEvent,
      ChangeEvent,
      ChangeEvent,
      ChangeEvent,
    ]
    await matchedAll()
    for (const event of [delivered, dead, cancelled, retrying, paused]) await published.job(event)
    await dispatched(topics.deliveriesTopic)
    await dispatched(retries)
    await dispatched(topics.pausedTopic)
    await published.job(pending)
    await published.transition(delivered, { step: 1, status: 'delivered' })
    await published.job(dead, { step: 5 }, { topic: topics.deadLetterTopic })
    await published.transition(dead, { step: 5, status: 'dead_letter' })
    await published.transition(cancelled, { step: 1, status: 'cancelled' })
    await published.job(retrying, { step: 1, attempt: 2 }, { topic: retries })
    await published.transition(retrying, { step: 1, status: 'retrying' })
    await published.job(paused, { step: 1 }, { topic: topics.pausedTopic })

    const { closes, complete, changes, total, webhooks, holes } = await ledger()
    expect(holes).toEqual([])
    expect({ closes, complete, changes }).toEqual({
      closes: true,
      complete: true,
      // Includes the change about the subscription itself.
      changes: 7,
    })
    const one = { delivered: 1, dead: 1, cancelled: 1, retrying: 1, paused: 1, pending: 1 }
    expect(total).toMatchObject({ matched: 6, ...one, awaiting: 0 })
    const { projectId, environment } = tenant
    expect(webhooks).toEqual([{ projectId, environment, webhookId: id, ...total }])
  })

  it('waits for changes that the matcher has not reached, and finds those it skipped', async () => {
    await matchedAll()
    const { id: eventId } = await oneLogged()
    const before = await ledger()
    expect(before.total).toMatchObject({ matched: 0, awaiting: 1 })
    expect(before.closes).toBe(true)
    // The matcher has committed past the change without making a job.
    await matchedAll()
    const after = await ledger()
    expect(after.closes).toBe(false)
    expect(after.total).toMatchObject({ matched: 1, neverMatched: 1, awaiting: 0 })
    const hole = { eventId, webhookId: id, reason: 'never_matched', asked: false }
    expect(after.holes).toEqual([expect.objectContaining(hole)])
  })

  it('finds a job that disappeared from its place', async () => {
    const event = await oneLogged()
    await matchedAll()
    await published.job(event)
    await dispatched(topics.deliveriesTopic)
    await dispatched(retries)
    await published.job(event, { step: 1, attempt: 2 }, { topic: retries })
    await published.transition(event, { step: 1, status: 'retrying' })
    expect((await ledger()).total).toMatchObject({ matched: 1, retrying: 1, lost: 0 })
    await deleteAll(world, retries)
    const { closes, holes, total } = await ledger()
    expect(closes).toBe(false)
    expect(total).toMatchObject({ matched: 1, retrying: 0, lost: 1 })
    expect(holes).toEqual([expect.objectContaining({ eventId: event.id, reason: 'lost' })])
    // The doctor of later tests on this stack would find the same.
    await dispatched(retries)
  })

  it('reports only a job that was finished ahead of others as gone', async () => {
    const [waiting, finished] = (await logged(2)) as [ChangeEvent, ChangeEvent]
    await matchedAll()
    await dispatched(topics.deliveriesTopic)
    // The same key puts both on one partition.
    for (const event of [waiting, finished]) await published.job(event, {}, { key: 'one' })
    await finishNewest(world, 'webhook-dispatcher', topics.deliveriesTopic)
    const { holes, total } = await ledger()
    expect(total).toMatchObject({ matched: 2, pending: 1, lost: 1 })
    expect(holes).toEqual([expect.objectContaining({ eventId: finished.id, reason: 'lost' })])
  })

  it('finds jobs without a change', async () => {
    const other = await oneLogged({ table: 'invoices' })
    const never = { ...other, id: newEventId() }
    await matchedAll()
    for (const event of [other, never]) await published.job(event)
    const { closes, holes, total } = await ledger()
    expect(closes).toBe(false)
    expect(total).toMatchObject({ matched: 0, unexpected: 2 })
    expect(holes.map(({ eventId, reason }) => [eventId, reason]).toSorted()).toEqual(
      [other, never].map((event) => [event.id, 'unexpected']).toSorted(),
    )
  })

  it('counts jobs with their changes if those were written outside the span', async () => {
    const before = await oneLogged()
    await published.job(before)
    const from = new Date()
    await oneLogged({ table: 'invoices' })
    const to = new Date()
    const after = await oneLogged({ timestamp: new Date(to.getTime() - 1).toISOString() })
    await published.job(after)
    await matchedAll()
    const { closes, total } = await ledger({ from: from.toISOString(), to: to.toISOString() })
    expect(total).toMatchObject({ matched: 0, unexpected: 0 })
    expect(closes).toBe(true)
    expect((await ledger()).total).toMatchObject({ matched: 2, pending: 2 })
  })

  it('counts requested deliveries separately', async () => {
    const event = await oneLogged()
    await matchedAll()
    await published.job(event)
    await published.transition(event, { step: 1, status: 'delivered' })
    const again = { deliveryId: randomUUID(), redeliveryOf: randomUUID(), createdAt: Date.now() }
    await published.job(event, again)
    await published.transition(event, { ...again, step: 1, status: 'delivered' })
    await client.call(`POST /${id}/test`)
    const { closes, total } = await ledger()
    expect(total).toMatchObject({ matched: 1, delivered: 1, unexpected: 0 })
    expect(total.asked).toMatchObject({ made: 2, delivered: 1, pending: 1, lost: 0 })
    expect(closes).toBe(true)
  })

  it("knows the subscription's version at each change", async () => {
    await oneLogged()
    const changed = await client.call(`PATCH /${id}`, { active: false })
    expect(changed.status).toBe(200)
    await logged(2)
    await client.call(`PATCH /${id}`, { active: true, events: ['DELETE'] })
    await oneLogged()
    await client.call(`DELETE /${id}`)
    await oneLogged({ operation: 'DELETE' })
    expect((await ledger()).total).toMatchObject({ matched: 0, awaiting: 1 })
  })

  it('does not blame the matcher for a state that reached its topic after a later change', async () => {
    // The change gets a WAL position after everything that follows.
    const walPosition = (await walEnd(pg)).replace(/[^/]*$/, 'f'.repeat(16))
    const event = await oneLogged({ walPosition })
    await published.job(event)
    await client.call(`PATCH /${id}`, { active: false })
    const second = (await client.call('POST', validInput(tenant))).body.id
    await matchedAll()
    const { total, holes, webhooks } = await ledger()
    expect(holes).toEqual([])
    expect(total).toMatchObject({ unexpected: 0, neverMatched: 0, unverified: 2 })
    expect(webhooks.map(({ webhookId }) => webhookId).toSorted()).toEqual([id, second].toSorted())
  })

  it('reports deliveries that ended twice, which are not lost', async () => {
    const event = await oneLogged()
    await matchedAll()
    await published.job(event)
    const at = Date.now()
    await published.transition(event, { step: 1, status: 'delivered', at })
    // The producer retried a message that had already arrived.
    await published.transition(event, { step: 1, status: 'delivered', at })
    expect((await ledger()).endedTwice).toEqual([])
    await published.transition(event, { step: 1, status: 'delivered', at: at + 5 })
    const { closes, endedTwice, total } = await ledger()
    expect(closes).toBe(true)
    expect(total).toMatchObject({ delivered: 1, endedTwice: 1 })
    expect(endedTwice).toEqual([expect.objectContaining({ eventId: event.id, webhookId: id })])
  })

  it('counts a dead letter only if it is on its topic', async () => {
    const event = await oneLogged()
    await matchedAll()
    await published.job(event)
    await dispatched(topics.deliveriesTopic)
    await published.transition(event, { step: 5, status: 'dead_letter' })
    expect((await ledger()).total).toMatchObject({ dead: 0, lost: 1 })
    await published.job(event, { step: 5 }, { topic: topics.deadLetterTopic })
    expect((await ledger()).total).toMatchObject({ dead: 1, lost: 0 })
  })
})

describe('GET /_webhooks/_ledger', () => {
  it('is for the administrator only', async () => {
    for (const token of [tenant.token, 'another-token-altogether']) {
      const { status, body } = await ask({}, token)
      expect([status, body.error]).toEqual([401, 'ADMIN_TOKEN_INVALID'])
    }
  })

  it.each([
    [{ from: 'yesterday' }, 'from'],
    [{ from: new Date(Date.now() - 8 * 86_400_000).toISOString() }, 'from'],
    [{ to: new Date(Date.now() + 60_000).toISOString() }, 'to'],
    [{ to: new Date(Date.now() - 3_600_000).toISOString() }, 'to'],
    [{ project: 'a b' }, 'project'],
    [{ since: '1h' }, 'since'],
  ])('refuses %j', async (query: Record<string, string>, field) => {
    const { status, body } = await ask(query)
    expect(status).toBe(400)
    expect(body.violations?.map((violation) => violation.field)).toEqual([field])
  })

  it('takes one at a time, and is free again when its client leaves', async () => {
    const leave = new AbortController()
    const url = `${service.api}/api/rest/_webhooks/_ledger?from=${startedAt.toISOString()}`
    const headers = { authorization: `Bearer ${adminToken}` }
    const first = fetch(url, { headers, signal: leave.signal })
    first.catch(() => undefined)
    const busy = async () => (await ask()).status
    let status = await busy()
    while (status === 200) status = await busy()
    expect(status).toBe(429)
    leave.abort()
    await expect(first).rejects.toThrow()
    while (status === 429) status = await busy()
    expect(status).toBe(200)
  })
})
