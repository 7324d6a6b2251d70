import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { clientOf, expectStatus, headersOf } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { createToken } from '@surehook/scripts/client/tenant'
import { type AuthTenant, trusting } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

let world: SharedAuthWorld
beforeAll(async () => {
  world = await openSharedAuthWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const [[, rest]] = transports as readonly [(typeof transports)[0]]

function callerOf({ projectId, environment }: AuthTenant, token: string) {
  const caller = { projectId, environment, token }
  const records = clientOf(`${world.system.baseUrl}/gw/api/rest/`, headersOf(caller))
  return { caller, records }
}

async function openUser(of: AuthTenant) {
  const { session } = await of.newUser()
  const [, payload = ''] = session.accessToken.split('.')
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }
  return { ...callerOf(of, session.accessToken), userId: sub }
}

it('a user streams the own records, until they are given away, and until the logout', async () => {
  const tenant = await world.tenant(rest, trusting)
  const { token } = await createToken(world.system, tenant.projectId, {
    environments: [tenant.environment],
  })
  const { records: managing } = callerOf(tenant, token)
  const columns = [{ name: 'title', type: 'text' }]
  expectStatus(200, await managing.call('PUT _tables/notes', { columns, access: 'owner' }))
  const [ann, bob] = [await openUser(tenant), await openUser(tenant)]
  using stream = await openStream(`${world.system.baseUrl}/gw`, ann.caller, {
    query: '?table=notes',
  })
  expect(stream.status).toBe(200)
  const { id } = expectStatus(201, await ann.records.call('POST notes', { title: 'a' })).body
  expectStatus(201, await bob.records.call('POST notes', { title: 'b' }))
  expectStatus(200, await ann.records.call(`PATCH notes/${id}`, { title: 'c' }))
  expectStatus(200, await managing.call(`PATCH notes/${id}`, { owner_id: bob.userId }))
  expectStatus(200, await bob.records.call(`PATCH notes/${id}`, { title: 'd' }))
  expectStatus(200, await managing.call(`PATCH notes/${id}`, { owner_id: ann.userId }))
  await stream.arrived(4)
  const seen = stream.events.map(
    ({ data }) => JSON.parse(data) as { event: string; record: object },
  )
  const own = { id, owner_id: ann.userId }
  expect(seen.map(({ event, record }) => [event, record])).toMatchObject([
    ['INSERT', { ...own, title: 'a' }],
    ['UPDATE', { ...own, title: 'c' }],
    ['DELETE', { id }],
    ['UPDATE', { ...own, title: 'd' }],
  ])
  await tenant.do('logout', {}, { accessToken: ann.caller.token })
  await stream.ended()
  expect(stream.comments.at(-1)).toBe('access')
})
