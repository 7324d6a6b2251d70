import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { secretFingerprint } from '@surehook/matching/secret-fingerprint'
import type { Client } from '@surehook/scripts/client/call'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

it('a name belongs to one subscription of the environment, until it is removed', async () => {
  const input = { ...validInput(tenant), name: 'billing' }
  const { status, body } = await client.call('POST', input)
  expect([status, body.name]).toEqual([201, 'billing'])
  expect((await world.subscriptionStates()).get(body.id)?.name).toBe('billing')

  const taken = await client.call('POST', input)
  expect([taken.status, taken.body.error]).toEqual([409, 'CONFLICT'])
  const second = (await client.call('POST', validInput(tenant))).body
  expect(second).not.toHaveProperty('name')
  expect((await client.call(`PATCH /${second.id}`, { name: 'billing' })).status).toBe(409)
  const other = await world.tenant()
  const elsewhere = { ...validInput(other), name: 'billing' }
  expect((await clientOf(service.api, other).call('POST', elsewhere)).status).toBe(201)

  // Another change keeps the name.
  const kept = await client.call(`PATCH /${body.id}`, { active: false })
  expect(kept.body.name).toBe('billing')
  const unnamed = await client.call(`PATCH /${body.id}`, { name: null })
  expect(unnamed.body).not.toHaveProperty('name')
  const renamed = await client.call(`PATCH /${second.id}`, { name: 'billing' })
  expect([renamed.status, renamed.body.name]).toEqual([200, 'billing'])
})

it('refuses a name that is not valid', async () => {
  for (const name of ['', 'A', 'a b', '-a', 'x'.repeat(64)]) {
    const { status, body } = await client.call('POST', { ...validInput(tenant), name })
    expect({ status, ...body }).toMatchObject({ status: 400, violations: [{ field: 'name' }] })
  }
})

it('shows fingerprints of the current secret and headers, only if it is asked', async () => {
  const policy = { headers: { Authorization: 'Bearer first' } }
  const { id } = (await client.call('POST', { ...validInput(tenant), policy })).body
  await client.call(`PATCH /${id}`, { secret: 'second-secret' })
  const plain = await client.call('GET')
  expect(plain.text).not.toContain('fingerprints')

  const { body, text } = await client.call('GET ?fingerprints=true')
  const fingerprints = {
    secret: secretFingerprint(id, 'second-secret'),
    headers: { Authorization: secretFingerprint(id, 'Bearer first') },
  }
  expect(body.webhooks).toMatchObject([{ id, fingerprints }])
  expect(text).not.toMatch(/second-secret|Bearer first/)
})
