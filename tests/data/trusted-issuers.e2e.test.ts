import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  admin,
  clientOf,
  expectStatus,
  headersOf,
  type Records,
} from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { newKey, type OpenIdProvider, openOpenIdProvider } from '@surehook/testing/openid-provider'
import { until } from '@surehook/testing/until'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'

let world: SharedWorld
let provider: OpenIdProvider
let tenant: Tenant

beforeAll(async () => {
  world = await openSharedWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const set = ({ projectId, environment }: Tenant, settings: object) =>
  admin(world.system, `PUT /${projectId}/environments/${environment}`, settings)

const callerOf = ({ projectId, environment }: Tenant, token: string) => ({
  ...{ projectId, environment, token },
})
const recordsOf = (of: Tenant, token: string) =>
  clientOf(`${world.system.baseUrl}/gw/api/rest/`, headersOf(callerOf(of, token)))

const userOf = (token: string) => recordsOf(tenant, token)

/** Users of the project log in elsewhere only. */
async function newTenant(): Promise<Tenant> {
  const made = await world.tenant()
  expectStatus(200, await set(made, { auth: { enabled: false } }))
  return made
}

beforeEach(async () => {
  provider = await openOpenIdProvider(world.receiver)
  tenant = await newTenant()
  const { issuer, audience } = provider
  expectStatus(200, await set(tenant, { trustedIssuers: [{ issuer, audience }] }))
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'owner_id', type: 'text' },
  ]
  expectStatus(200, await tenant.rest('PUT _tables/notes', { columns, access: 'owner' }))
})

const titleOf = ({ data }: { data: string }) =>
  (JSON.parse(data) as { record: { title: string } }).record.title

describe('a user of a trusted issuer', () => {
  it('has the own records, and those that a role admits', async () => {
    const [ada, grace] = [
      userOf(await provider.token({ sub: 'auth0|ada' })),
      userOf(await provider.token({ sub: 'auth0|grace' })),
    ]
    const { body } = expectStatus(201, await ada.call('POST notes', { title: 'a' }))
    expect(body).toMatchObject({ title: 'a', owner_id: 'auth0|ada' })
    expectStatus(404, await grace.call(`PATCH notes/${body.id}`, { title: 'b' }))
    expectStatus(403, await grace.call('GET _tables'))
    const columns = [{ name: 'title', type: 'text' }]
    const access = { read: [{ role: 'editor' }] }
    expectStatus(200, await tenant.rest('PUT _tables/posts', { columns, access }))
    expectStatus(403, await ada.call('GET posts'))
    const editor = userOf(await provider.token({ roles: ['editor'] }))
    expectStatus(200, await editor.call<Records>('GET posts'))
  })

  it('is refused in another environment, and as soon as the issuer is removed', async () => {
    const token = await provider.token()
    expectStatus(200, await userOf(token).call('GET notes'))
    const other = await newTenant()
    expectStatus(401, await recordsOf(other, token).call('GET notes'))
    expectStatus(200, await set(tenant, { trustedIssuers: null }))
    expectStatus(401, await userOf(token).call('GET notes'))
  })

  it('is asked by id, so a column of ids of another type has no record of theirs', async () => {
    const columns = [{ name: 'title', type: 'text' }]
    expectStatus(200, await tenant.rest('PUT _tables/tasks', { columns, access: 'owner' }))
    const ada = userOf(await provider.token({ sub: 'auth0|ada' }))
    expect(expectStatus(200, await ada.call<Records>('GET tasks')).body.records).toEqual([])
    const refused = await ada.call('POST tasks', { title: 'a' })
    expect([refused.status, refused.body.error]).toEqual([403, 'FORBIDDEN'])
    const uuid = '0199aaaa-0000-7000-8000-000000000001'
    const grace = userOf(await provider.token({ sub: uuid }))
    const { body } = expectStatus(201, await grace.call('POST tasks', { title: 'b' }))
    expect(body['owner_id']).toBe(uuid)
  })

  it('has the address that the issuer verified, and no attributes', async () => {
    const columns = ['title', 'email', 'team'].map((name) => ({ name, type: 'text' }))
    const access = { read: [{ role: '*', where: { email: '$user.email' } }] }
    expectStatus(200, await tenant.rest('PUT _tables/mails', { columns, access }))
    const other = { read: [{ role: '*', where: { team: { ne: '$user.team' } } }] }
    expectStatus(200, await tenant.rest('PUT _tables/teams', { columns, access: other }))
    const email = 'ada@x.example'
    for (const table of ['mails', 'teams']) {
      expectStatus(201, await tenant.rest(`POST ${table}`, { title: 'a', email, team: 'x' }))
    }
    const seen = async (claims: object, table: string) => {
      const user = userOf(await provider.token({ ...claims }))
      return expectStatus(200, await user.call<Records>(`GET ${table}`)).body.records.length
    }
    expect(await seen({ email, email_verified: true }, 'mails')).toBe(1)
    expect(await seen({ email }, 'mails')).toBe(0)
    expect(await seen({ email, email_verified: true, team: 'y' }, 'teams')).toBe(0)
  })

  it('does not get the stored answer of another caller with the same id', async () => {
    const { issuer, audience } = provider
    const second = await openOpenIdProvider(world.receiver)
    const both = [provider, second].map((of) => ({ issuer: of.issuer, audience }))
    expect(issuer).not.toBe(second.issuer)
    expectStatus(200, await set(tenant, { trustedIssuers: both }))
    const sub = 'ada'
    const keyed = { 'idempotency-key': 'k' }
    const made = async (of: OpenIdProvider) => {
      const user = userOf(await of.token({ sub }))
      return expectStatus(201, await user.call('POST notes', { title: 'a' }, keyed)).body.id
    }
    const first = await made(provider)
    expect(await made(provider)).toBe(first)
    expect(await made(second)).not.toBe(first)
  })

  it('streams the own records until the issuer is removed', async () => {
    const token = await provider.token({ sub: 'auth0|ada' })
    using stream = await openStream(`${world.system.baseUrl}/gw`, callerOf(tenant, token))
    expect(stream.status).toBe(200)
    expectStatus(201, await userOf(token).call('POST notes', { title: 'a' }))
    expectStatus(201, await userOf(await provider.token()).call('POST notes', { title: 'b' }))
    expectStatus(201, await userOf(token).call('POST notes', { title: 'c' }))
    await stream.arrived(2)
    expect(stream.events.map(titleOf)).toEqual(['a', 'c'])
    expectStatus(200, await set(tenant, { trustedIssuers: [] }))
    await stream.ended()
  })
})

const outcomeOf = async (token: string) => {
  const { status, body, headers } = await userOf(token).call('GET notes')
  return [status, body.error ?? null, headers.get('retry-after')]
}
const invalid = [401, 'AUTH_TOKEN_INVALID', null]

describe('a token', () => {
  it('is refused unless it is for this environment, by its issuer and current', async () => {
    expect(await outcomeOf(await provider.token())).toEqual([200, null, null])
    const foreign = await newKey()
    const past = Math.floor(Date.now() / 1_000) - 60
    const [header = '', payload = ''] = (await provider.token()).split('.')
    for (const token of [
      await provider.token({ aud: 'client-id' }),
      await provider.token({ iss: 'https://other.example' }),
      await provider.token({}, { key: { ...foreign, kid: String(provider.keys[0]?.['kid']) } }),
      `${header}.${payload}.AAAA`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.AAAA`,
    ]) {
      expect(await outcomeOf(token)).toEqual(invalid)
    }
    const expired = await provider.token({ iat: past, exp: past + 1 })
    expect(await outcomeOf(expired)).toEqual([401, 'AUTH_TOKEN_EXPIRED', null])
  })

  it('says why it is refused', async () => {
    const { body } = await userOf(await provider.token({ aud: 'client-id' })).call('GET notes')
    expect(body['message']).toContain('audience')
  })

  it('under a new key is valid once the cooldown is over', async () => {
    expect(await outcomeOf(await provider.token())).toEqual([200, null, null])
    await provider.rotate('ES256')
    const token = await provider.token()
    await until(async () => (await outcomeOf(token))[0] === 200, { what: 'the new key' })
    expect(provider.asked).toBeLessThanOrEqual(4)
  })

  it('gets 503 while its issuer is down, and a known key serves on', async () => {
    const known = await provider.token()
    provider.down = { status: 500 }
    expect(await outcomeOf(known)).toEqual([503, 'SERVICE_UNAVAILABLE', '1'])
    provider.down = null
    await until(async () => (await outcomeOf(known))[0] === 200, { what: 'the keys' })
    provider.down = 'hang'
    expect(await outcomeOf(await provider.token())).toEqual([200, null, null])
  })
})
