import { expect, it } from '@jest/globals'
import { secretFingerprint } from '@surehook/matching/secret-fingerprint'
import { clientOf, validInput } from './support/client.ts'
import { useService } from './support/use-service.ts'

const under = useService()

it('a key belongs to one subscription of the environment, until it is removed', async () => {
  const input = { ...validInput(under.tenant), key: 'billing' }
  const { status, body } = await under.client.call('POST', input)
  expect([status, body.key]).toEqual([201, 'billing'])
  expect((await under.world.subscriptionStates()).get(body.id)?.key).toBe('billing')

  const taken = await under.client.call('POST', input)
  expect([taken.status, taken.body.error]).toEqual([409, 'CONFLICT'])
  const second = (await under.client.call('POST', validInput(under.tenant))).body
  expect(second).not.toHaveProperty('key')
  expect((await under.client.call(`PATCH /${second.id}`, { key: 'billing' })).status).toBe(409)
  const other = await under.world.tenant()
  const elsewhere = { ...validInput(other), key: 'billing' }
  expect((await clientOf(under.service.api, other).call('POST', elsewhere)).status).toBe(201)

  // Another change keeps the key.
  const kept = await under.client.call(`PATCH /${body.id}`, { active: false })
  expect(kept.body.key).toBe('billing')
  const unkeyed = await under.client.call(`PATCH /${body.id}`, { key: null })
  expect(unkeyed.body).not.toHaveProperty('key')
  const moved = await under.client.call(`PATCH /${second.id}`, { key: 'billing' })
  expect([moved.status, moved.body.key]).toEqual([200, 'billing'])
})

it('refuses a key that is not valid', async () => {
  for (const key of ['', 'A', 'a b', '-a', 'x'.repeat(64)]) {
    const { status, body } = await under.client.call('POST', { ...validInput(under.tenant), key })
    expect({ status, ...body }).toMatchObject({ status: 400, violations: [{ field: 'key' }] })
  }
})

it('has a name and a description for people, which may repeat', async () => {
  const texts = {
    name: ' Billing of ACME – 請求 ',
    description: 'Paid orders.\n\nAsk <b>Ann</b>.\n',
  }
  const shown = { name: 'Billing of ACME – 請求', description: 'Paid orders.\n\nAsk <b>Ann</b>.' }
  const { status, body } = await under.client.call('POST', {
    ...validInput(under.tenant),
    ...texts,
  })
  expect({ status, ...body }).toMatchObject({ status: 201, ...shown })
  expect((await under.world.subscriptionStates()).get(body.id)).toMatchObject(shown)
  const again = await under.client.call('POST', { ...validInput(under.tenant), ...texts })
  expect(again.status).toBe(201)

  const kept = await under.client.call(`PATCH /${body.id}`, { active: false })
  expect(kept.body).toMatchObject(shown)
  const renamed = await under.client.call(`PATCH /${body.id}`, { name: 'Invoices' })
  expect(renamed.body).toMatchObject({ ...shown, name: 'Invoices' })
  const removed = await under.client.call(`PATCH /${body.id}`, { name: null, description: null })
  expect(removed.status).toBe(200)
  expect(removed.body).not.toHaveProperty('name')
  expect(removed.body).not.toHaveProperty('description')
})

it.each([
  [
    'name',
    ['', ' ', 'x'.repeat(101), 'two\nlines', 'a\u0000b', 'a\u001b[2Jb', '\ud800', 'a\u2028b'],
  ],
  ['description', ['', '\n', 'x'.repeat(501), 'a\u0000b', 'a\u001b[2Jb', '\ud800']],
])('refuses a %s that is not valid', async (field, texts) => {
  for (const text of texts) {
    const input = { ...validInput(under.tenant), [field]: text }
    const { status, body } = await under.client.call('POST', input)
    expect({ status, ...body }).toMatchObject({ status: 400, violations: [{ field }] })
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

it('is found by a part of its name, key or URL, in its own environment', async () => {
  const { client, tenant, world, service } = under
  const made = async (fields: object) =>
    (await client.call('POST', { ...validInput(tenant), ...fields })).body.id
  const named = await made({ name: 'Invoices of 100 % ACME', url: 'https://a.example/one' })
  const keyed = await made({ key: 'billing', url: 'https://b.example/two' })
  const found = async (search: string, by = client) => {
    const { status, body } = await by.list(`?search=${encodeURIComponent(search)}`)
    expect(status).toBe(200)
    return body.webhooks.map(({ id }) => id)
  }
  expect(await found('invoices')).toEqual([named])
  expect(await found('100 %')).toEqual([named])
  expect(await found('BILL')).toEqual([keyed])
  expect(await found('example/')).toEqual([keyed, named])
  expect(await found('a%one')).toEqual([])
  const other = clientOf(service.api, await world.tenant())
  expect(await found('example/', other)).toEqual([])
  const refused = await client.list('?search=')
  expect({ ...refused.body, status: refused.status }).toMatchObject({
    status: 400,
    violations: [{ field: 'search' }],
  })
})
