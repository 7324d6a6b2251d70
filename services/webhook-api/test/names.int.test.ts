import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { secretFingerprint } from '@surehook/matching/secret-fingerprint'
import type { Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
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

it('an older version cannot change a subscription with a policy, which it does not know', async () => {
  const policy = { gone: 'deactivate' }
  const { id } = (await client.call('POST', { ...validInput(tenant), policy })).body
  await refusesOlder(id)
  expect((await client.call(`PATCH /${id}`, { policy: null })).status).toBe(200)
  await changeAsOlder(id)
})

it('an older version can change a subscription with a name', async () => {
  const { id } = (await client.call('POST', { ...validInput(tenant), name: 'billing' })).body
  await changeAsOlder(id)
  const { webhook } = (await client.call(`GET /${id}`)).body
  expect(webhook).toMatchObject({ active: false, name: 'billing' })
})

it('an older version cannot change a subscription with cancellations, which it does not know', async () => {
  const { id } = (await client.call('POST', validInput(tenant))).body
  expect((await client.call(`POST /${id}/cancel`, { status: 'paused' })).status).toBe(202)
  await refusesOlder(id)
})

const changeAsOlder = (id: string) =>
  world.pool.query('update subscription set active = false where id = $1', [id])

async function refusesOlder(id: string): Promise<void> {
  await expect(changeAsOlder(id)).rejects.toThrow('does not know the policy or cancellations')
}

it('what an older version has left out on the topic is there again once this one relays', async () => {
  const policied = (
    await client.call('POST', { ...validInput(tenant), policy: { gone: 'deactivate' } })
  ).body
  const named = (await client.call('POST', { ...validInput(tenant), name: 'left-out' })).body
  const cancelled = (await client.call('POST', validInput(tenant))).body
  await client.call(`POST /${cancelled.id}/cancel`, { status: 'paused' })
  const ids = [policied.id, named.id, cancelled.id]
  const statesOf = async () => {
    const states = await world.subscriptionStates()
    return ids.map((id) => states.get(id))
  }
  const states = await statesOf()
  const older = states.flatMap((state) =>
    state === undefined ? [] : { ...state, policy: null, name: null, cancellations: [] },
  )
  await world.producer.send(
    older.map((state) => ({
      ...{ topic: subscriptionsTopic, key: state.id },
      value: world.codec.subscription.encode(state),
    })),
  )
  expect(await statesOf()).toEqual(older)
  await service[Symbol.asyncDispose]()
  service = await world.startService()
  await until(async () => isDeepStrictEqual(await statesOf(), states))
})
