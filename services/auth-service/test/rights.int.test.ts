import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { ManagementRight } from '@surehook/contracts/rights'
import { clientOf } from '@surehook/scripts/client/call'
import type { NewToken } from '@surehook/scripts/client/tenant'
import {
  callWithToken,
  managementOperations,
  otherRights,
} from '@surehook/scripts/lib/management-operations'
import { newEmail } from './support/account-world.ts'
import { type AuthClient, callAdmin, openAuthClient, outcome } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  tenant = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type Limits = { rights?: ManagementRight[]; environments?: string[] }

async function tokenOf({ projectId }: AuthClient, limits: Limits = {}) {
  const request = `POST /${projectId}/management-tokens`
  return (await callAdmin<NewToken>(service.api, request, { name: 'owner', ...limits })).body
}

/** Calls a path below the tenant's environment with a management token. */
function ownerOf({ projectId, environment }: AuthClient, token: string) {
  const url = `${service.api}/auth/admin/projects/${projectId}/environments/${environment}/`
  return clientOf(url, { authorization: `Bearer ${token}` })
}

const operations = managementOperations('admin').filter(({ path }) => path.startsWith('/auth/'))
const ofUsers = operations.filter(({ right }) => right === 'users')
/** A token gets nothing from these beyond its own rights and environments. */
const ofEverybody = ['createConsoleCode', 'redeemConsoleCode', 'listEnvironments']
const ofAdministrator = operations.filter(
  ({ id, right }) => right === undefined && !ofEverybody.includes(id),
)

describe('the operations of users', () => {
  const call = (operation: (typeof operations)[number], token: string) =>
    callWithToken(operation, { api: service.api, tenant, token })
  const forbidden = (reason: string) => ({
    status: 403,
    text: JSON.stringify({ error: 'FORBIDDEN', message: reason }),
  })
  const foreign = forbidden('The token is not for this project and environment')

  it.each(ofUsers)('admit a token with the right to $id', async (operation) => {
    const { token } = await tokenOf(tenant, { rights: ['users'] })
    expect([401, 403]).not.toContain((await call(operation, token)).status)
  })

  it.each(ofUsers)('refuse any other token for $id', async (operation) => {
    const without = await tokenOf(tenant, { rights: otherRights('users') })
    expect(await call(operation, without.token)).toEqual(
      forbidden('The management token has no right "users"'),
    )
    const stranger = await openAuthClient(service.api)
    expect(await call(operation, (await tokenOf(stranger)).token)).toEqual(foreign)
    await callAdmin(service.api, `PUT /${tenant.projectId}/environments/dev`, {})
    const elsewhere = await tokenOf(tenant, { environments: ['dev'] })
    expect(await call(operation, elsewhere.token)).toEqual(foreign)
    const unknown = await call(operation, `mt_${'x'.repeat(43)}`)
    expect([unknown.status, unknown.text]).toEqual([
      401,
      expect.stringContaining('MANAGEMENT_TOKEN_INVALID'),
    ])
  })

  it.each(ofAdministrator)('are all that a token reaches: not $id', async (operation) => {
    const { token } = await tokenOf(tenant)
    expect(await call(operation, token)).toEqual(forbidden('This needs the administration token'))
  })
})

describe('the owner of a project', () => {
  it('administers the users of an environment from import to deletion', async () => {
    const { token } = await tokenOf(tenant, { rights: ['users'] })
    const owner = ownerOf(tenant, token)
    const { userId, email, accessToken } = await userOf(tenant)
    expect(outcome(await owner.call('POST roles', { name: 'clerk' }))).toEqual([201])
    expect((await owner.call(`GET users?email=${email}`)).body['users']).toMatchObject([
      { id: userId, roles: [] },
    ])
    const changed = await owner.call(`PATCH users/${userId}`, { roles: ['clerk'] })
    expect([changed.status, changed.body['roles']]).toEqual([200, ['clerk']])
    expect(outcome(await owner.call(`POST users/${userId}/unlock`))).toEqual([204])
    expect(outcome(await owner.call(`POST users/${userId}/logout`))).toEqual([204])
    expect(await tenant.isActive(accessToken)).toBe(false)
    const users = [{ email: newEmail(), passwordHash: 'plain' }]
    const imported = await owner.call('POST users/import', { users })
    expect([imported.status, imported.body['imported']]).toEqual([200, 0])
    expect(outcome(await owner.call(`DELETE users/${userId}`))).toEqual([204])
    expect(outcome(await owner.call(`GET users/${userId}`))).toEqual([404, 'USER_NOT_FOUND'])
  })

  it('reaches no user of another environment of the project', async () => {
    const dev = { projectId: tenant.projectId, environment: 'dev' }
    const other = await openAuthClient(service.api, dev)
    const { userId } = await userOf(other)
    const owner = ownerOf(tenant, (await tokenOf(tenant)).token)
    expect(outcome(await owner.call(`DELETE users/${userId}`))).toEqual([404, 'USER_NOT_FOUND'])
    const theirs = ownerOf(other, (await tokenOf(tenant)).token)
    expect(outcome(await theirs.call(`GET users/${userId}`))).toEqual([200])
  })

  it('loses the users with the answer to the revocation', async () => {
    const { id, token } = await tokenOf(tenant)
    const owner = ownerOf(tenant, token)
    expect(outcome(await owner.call('GET users'))).toEqual([200])
    await callAdmin(service.api, `DELETE /${tenant.projectId}/management-tokens/${id}`)
    expect(outcome(await owner.call('GET users'))).toEqual([401, 'MANAGEMENT_TOKEN_INVALID'])
  })
})

async function userOf(of: AuthClient) {
  const { user, email, accessToken } = await of.newUser()
  return { userId: user.id, email, accessToken }
}
