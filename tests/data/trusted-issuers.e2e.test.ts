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
import { type OpenIdProvider, openOpenIdProvider } from '@surehook/testing/openid-provider'
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
