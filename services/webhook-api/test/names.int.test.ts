import { expect, it } from '@jest/globals'
import { secretFingerprint } from '@surehook/matching/secret-fingerprint'
import { clientOf, validInput } from './support/client.ts'
import { useService } from './support/use-service.ts'

const under = useService()

it('a name belongs to one subscription of the environment, until it is removed', async () => {
  const input = { ...validInput(under.tenant), name: 'billing' }
  const { status, body } = await under.client.call('POST', input)
  expect([status, body.name]).toEqual([201, 'billing'])
  expect((await under.world.subscriptionStates()).get(body.id)?.name).toBe('billing')

  const taken = await under.client.call('POST', input)
  expect([taken.status, taken.body.error]).toEqual([409, 'CONFLICT'])
  const second = (await under.client.call('POST', validInput(under.tenant))).body
  expect(second).not.toHaveProperty('name')
  expect((await under.client.call(`PATCH /${second.id}`, { name: 'billing' })).status).toBe(409)
  const other = await under.world.tenant()
  const elsewhere = { ...validInput(other), name: 'billing' }
  expect((await clientOf(under.service.api, other).call('POST', elsewhere)).status).toBe(201)

  // Another change keeps the name.
  const kept = await under.client.call(`PATCH /${body.id}`, { active: false })
  expect(kept.body.name).toBe('billing')
  const unnamed = await under.client.call(`PATCH /${body.id}`, { name: null })
  expect(unnamed.body).not.toHaveProperty('name')
  const renamed = await under.client.call(`PATCH /${second.id}`, { name: 'billing' })
  expect([renamed.status, renamed.body.name]).toEqual([200, 'billing'])
})

it('refuses a name that is not valid', async () => {
  for (const name of ['', 'A', 'a b', '-a', 'x'.repeat(64)]) {
    const { status, body } = await under.client.call('POST', { ...validInput(under.tenant), name })
    expect({ status, ...body }).toMatchObject({ status: 400, violations: [{ field: 'name' }] })
  }
})

it('shows fingerprints of the current secret and headers, only if it is asked', async () => {
  const [secret, bearer] = ['second-secret-that-is-long', 'Bearer first-token-that-is-long']
  const policy = { headers: { Authorization: bearer, 'X-Pin': '4711' } }
  const { id } = (await under.client.call('POST', { ...validInput(under.tenant), policy })).body
  await under.client.call(`PATCH /${id}`, { secret })
  const plain = await under.client.call('GET')
  expect(plain.text).not.toContain('fingerprints')

  const { body, text } = await under.client.list('?fingerprints=true')
  const fingerprints = {
    secret: secretFingerprint(id, secret),
    headers: { Authorization: secretFingerprint(id, bearer) },
  }
  expect(body.webhooks[0]?.fingerprints).toEqual(fingerprints)
  expect(text).not.toMatch(/second-secret|Bearer first/)

  await under.client.call(`PATCH /${id}`, { secret: 'hunter2' })
  const weak = (await under.client.list('?fingerprints=true')).body.webhooks
  expect(weak[0]?.fingerprints).toEqual({ headers: fingerprints.headers })
})
