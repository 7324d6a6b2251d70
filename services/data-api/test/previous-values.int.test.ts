import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Client } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const columns = [
  { name: 'owner', type: 'uuid' },
  { name: 'tags', type: 'json' },
  { name: 'total', type: 'decimal' },
]
const where = { owner: '$user.id', 'tags.kind': { ne: 'closed' } }
const own = { role: '*', where }

/** Changes a record and returns the earlier values in the event. */
async function previousOf(by: Client, before: object, change: object): Promise<unknown> {
  const { id } = (await client.call('POST notes', before)).body
  const { status } = await by.call(`PATCH notes/${id}`, change)
  expect(status).toBe(200)
  const isUpdate = (of: { recordId: string; operation: string }) =>
    of.recordId === id && of.operation === 'UPDATE'
  const changes = await world.changes.until(tenant.projectId, (all) => all.some(isUpdate))
  const previous = changes.find(isUpdate)?.previous ?? null
  return previous === null ? null : JSON.parse(previous)
}

it('an update of a field that a rule of reading tests has the earlier values in its event', async () => {
  await client.call('PUT _tables/notes', { columns, access: { read: [own], update: [own] } })
  const [owner, other] = [randomUUID(), randomUUID()]
  const before = { owner, tags: { kind: 'a\n"' }, total: '1.50' }
  const tested = { owner, tags: before.tags }
  expect(await previousOf(client, before, { owner: other })).toEqual(tested)
  expect(await previousOf(client, before, { tags: null, total: '2' })).toEqual(tested)
  expect(await previousOf(client, { ...before, owner: null }, { owner })).toEqual({
    ...tested,
    owner: null,
  })
  const token = await world.issuer.token(tenant, { sub: owner })
  const user = clientOf(running.api, { ...tenant, token })
  expect(await previousOf(user, before, { tags: { kind: 'b' } })).toEqual(tested)
})

it('an update of other fields has none, and no update of a table whose rules test nothing', async () => {
  await client.call('PUT _tables/notes', { columns, access: { read: [own] } })
  expect(await previousOf(client, { total: '1' }, { total: '2' })).toBeNull()
  const free = { read: ['staff', { role: '*', columns: ['total'] }], update: [own] }
  await client.call('PUT _tables/notes', { columns, access: free })
  expect(await previousOf(client, {}, { owner: randomUUID() })).toBeNull()
})

it('has the earlier time if a rule tests it', async () => {
  const recent = { role: '*', where: { updatedAt: { gte: '2026-01-01T00:00:00Z' } } }
  await client.call('PUT _tables/notes', { columns, access: { read: [recent] } })
  const made = await client.call('POST notes', {})
  expect(await previousOf(client, {}, { total: '2' })).toEqual({
    updatedAt: expect.stringMatching(/^20.*Z$/),
  })
  await client.call(`PATCH notes/${made.body.id}`, { total: '3' })
  const changes = await world.changes.until(tenant.projectId, (all) =>
    all.some((of) => of.recordId === made.body.id && of.operation === 'UPDATE'),
  )
  const { previous } = changes.find((of) => of.recordId === made.body.id && of.previous) ?? {}
  expect(JSON.parse(previous ?? '')).toEqual({ updatedAt: made.body.updatedAt })
})
