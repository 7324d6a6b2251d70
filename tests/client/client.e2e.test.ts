import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { NotFoundError, PermissionError, PreconditionFailedError, Surehook } from '@surehook/client'
import { defaultSecret } from '@surehook/scripts/client/tenant'
import { newPath } from '../support/listening-world.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'
import { eventually, payloadOf } from '../support/world.ts'

type Order = { status?: string; n: number; note?: string | null }

let world: SharedWorld
let surehook: Surehook

beforeAll(async () => {
  world = await openSharedWorld()
  surehook = await newClient()
  await surehook.tables.put('orders', {
    columns: [
      { name: 'status', type: 'text', default: 'new' },
      { name: 'n', type: 'integer' },
      { name: 'note', type: 'text' },
    ],
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** A client of a new project. */
async function newClient(): Promise<Surehook> {
  const { projectId, environment, token } = await world.tenant()
  const { baseUrl, adminToken } = world.system
  return new Surehook({ baseUrl, projectId, environment, token, adminToken })
}

it('writes, reads, pages through and deletes records', async () => {
  const orders = surehook.table<Order>('orders')
  const idempotencyKey = crypto.randomUUID()
  const order = await orders.create({ n: 1 }, { idempotencyKey })
  expect(await orders.create({ n: 1 }, { idempotencyKey })).toEqual(order)
  expect(order).toMatchObject({ status: 'new', n: 1 })

  const { record, etag } = await orders.getWithETag(order.id)
  expect(record).toEqual(order)
  const updated = await orders.update(order.id, { status: 'paid' }, { ifMatch: etag })
  expect(updated.status).toBe('paid')
  const late = orders.update(order.id, { status: 'sent' }, { ifMatch: etag })
  await expect(late).rejects.toBeInstanceOf(PreconditionFailedError)

  await orders.create([{ n: 2 }, { n: 3 }])
  const numbers: number[] = []
  for await (const { n } of orders.iterate({ order: '-n', limit: 2 })) numbers.push(n)
  expect(numbers).toEqual([3, 2, 1])
  expect((await orders.list({ where: { n: { gte: 2 } } })).records).toHaveLength(2)

  expect(await orders.delete(order.id)).toEqual(updated)
  const gone = orders.get(order.id)
  await expect(gone).rejects.toBeInstanceOf(NotFoundError)
  await expect(gone).rejects.toMatchObject({
    code: 'RECORD_NOT_FOUND',
    requestId: expect.any(String),
  })
})

it('subscribes, follows a delivery and sends it again', async () => {
  const path = newPath()
  const { webhooks, deliveries, events, endpoints } = surehook
  const input = { table: 'invoices', events: ['INSERT' as const], secret: defaultSecret }
  const { id } = await webhooks.create({ ...input, url: world.receiver.url(path) })
  const change = { table: 'invoices', event: 'INSERT' as const, recordId: '7', record: { n: 7 } }
  const published = await surehook.changes.publish(change)
  const [receipt] = await world.receiver.waitFor(path, 1)
  const eventId = published.ids[0] ?? ''
  expect(receipt && payloadOf(receipt)).toMatchObject({ id: eventId, record: { n: 7 } })

  const found = await eventually(
    () => deliveries.search({ eventId, status: 'delivered' }),
    (page) => page.deliveries.length === 1,
  )
  const deliveryId = found.deliveries[0]?.id ?? ''
  expect(await deliveries.get(id, deliveryId)).toMatchObject({ id: deliveryId, attempts: 1 })
  expect(await events.explain(eventId)).toMatchObject({ webhooks: [{ webhookId: id }] })
  const timestamp = receipt === undefined ? '' : payloadOf(receipt).timestamp
  // The service looks through a limited number of changes, and other tests write many.
  const before = await events.before(eventId, { timestamp })
  expect(['absent', 'unseen']).toContain(before.outcome)
  expect(await webhooks.explain(id, { eventId })).toMatchObject({ outcome: 'delivered' })
  expect(await webhooks.stats(id)).toMatchObject({ window: '24h', successRate: 1 })
  const { webhooks: counted } = await webhooks.statsOfAll({ window: '24h' })
  expect(counted.find(({ webhookId }) => webhookId === id)).toMatchObject({ successRate: 1 })
  expect((await endpoints.list()).endpoints).toMatchObject([{ webhooks: [id], circuit: 'closed' }])

  await deliveries.redeliver(id, deliveryId)
  await webhooks.test(id)
  await world.receiver.waitFor(path, 3)
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const { replayId } = await webhooks.replay(id, { from })
  expect((await webhooks.getReplay(id, replayId)).id).toBe(replayId)
  expect(await webhooks.recover(id, { since: from })).toEqual({ count: 0 })
  expect(await webhooks.cancel(id, { status: 'retrying' })).toEqual({ count: 0 })
  expect(await webhooks.preview(input)).toMatchObject({ matched: 1 })

  await webhooks.rotateSecret(id, { secret: 'another-secret', secretOverlap: 60 })
  expect((await webhooks.update(id, { active: false })).active).toBe(false)
  expect((await webhooks.list({ active: false })).webhooks.map((hook) => hook.id)).toEqual([id])
  expect((await webhooks.deliveries(id)).deliveries.length).toBeGreaterThanOrEqual(3)
  await webhooks.delete(id)
  for await (const _ of webhooks.iterate()) throw new Error('a subscription is left')
})

it('a refused stream ends with the error of its answer', async () => {
  const { projectId, token } = await world.tenant({ tokenFor: ['master'] })
  const { baseUrl } = world.system
  await new Surehook({ ...clientOf(projectId), environment: 'dev' }).admin.environments.put()
  const other = new Surehook({ baseUrl, projectId, environment: 'dev', token })
  const next = other.stream()[Symbol.asyncIterator]().next()
  await expect(next).rejects.toBeInstanceOf(PermissionError)
  const invalid = surehook.stream({ from: 'yesterday' })[Symbol.asyncIterator]().next()
  await expect(invalid).rejects.toMatchObject({ violations: [{ field: 'from' }] })
})

const clientOf = (projectId: string) => {
  const { baseUrl, adminToken } = world.system
  return { baseUrl, projectId, token: adminToken }
}

it('administers projects, settings, tokens, roles and users', async () => {
  const projectId = `p-${crypto.randomUUID()}`
  const { admin } = new Surehook(clientOf(projectId))
  await admin.environments.put({ auth: { emailVerification: false } })
  expect((await admin.environments.get()).auth?.emailVerification).toBe(false)
  expect((await admin.environments.rotateKeys()).keys.length).toBeGreaterThan(1)
  const { token, id } = await admin.tokens.create({ name: 'ci' })
  const member = new Surehook({ ...clientOf(projectId), token })
  expect(await member.tables.list()).toEqual([])
  expect((await admin.tokens.list()).tokens.map((one) => one.id)).toEqual([id])
  await admin.tokens.delete(id)

  await admin.roles.create({ name: 'clerk' })
  expect((await admin.roles.list()).roles.map(({ name }) => name)).toContain('clerk')
  const passwordHash = `$2b$04$${'a'.repeat(53)}`
  const users = [{ email: 'ada@example.com', passwordHash }]
  expect(await admin.users.import({ users })).toMatchObject({ imported: 1, failed: [] })
  const [ada] = (await admin.users.list({ email: 'ada@example.com' })).users
  const userId = ada?.id ?? ''
  expect(await admin.users.get(userId)).toEqual(ada)
  expect(await admin.users.sessions(userId)).toEqual({ sessions: [], nextCursor: null })
  await expect(admin.users.endSession(userId, userId)).rejects.toMatchObject({ status: 404 })
  expect(await admin.users.lock(userId)).toEqual({ lockedUntil: null, locks: [] })
  await admin.users.logout(userId)
  await admin.users.unlock(userId)
  await admin.users.delete(userId)
  for await (const _ of admin.users.iterate()) throw new Error('a user is left')

  await admin.projects.delete(projectId)
})
