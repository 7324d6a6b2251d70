import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { clientOf } from '@surehook/scripts/client/call'
import { type AccountWorld, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, callAdmin, openAuthClient, outcome } from './support/auth-client.ts'
import { adminToken, serviceToken } from './support/under-test.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

type Question = { by?: string | undefined; projectId?: string; environment?: string }

function ask(id: string, { by = serviceToken, projectId, environment = 'master' }: Question = {}) {
  const tenant = { 'x-project-id': projectId ?? client.projectId, environment }
  const authorization = by === '' ? undefined : `Bearer ${by}`
  return clientOf(accounts.service.api, tenant).call(`GET /internal/users/${id}`, undefined, {
    authorization,
  })
}
const unknown = [404, 'USER_NOT_FOUND']

describe('the values of a user', () => {
  it('are the address, the attributes and the roles of now, and nothing else', async () => {
    const { user, email } = await client.newUser()
    expect((await ask(user.id)).body).toEqual({ email, attributes: {}, roles: [] })
    await client.admin('POST /roles', { name: 'seller' })
    const attributes = { team: 'north', regions: ['eu', 'us'], ratio: 1e-300 }
    await client.admin(`PATCH /users/${user.id}`, {
      firstName: 'Ada',
      roles: ['seller'],
      attributes,
    })
    expect((await ask(user.id)).body).toEqual({ email, attributes, roles: ['seller'] })
  })

  it('are those of no unknown, disabled or deleted user', async () => {
    const { user } = await client.newUser()
    for (const id of [randomUUID(), 'nobody']) expect(outcome(await ask(id))).toEqual(unknown)
    await client.admin(`PATCH /users/${user.id}`, { disabled: true })
    expect(outcome(await ask(user.id))).toEqual(unknown)
    await client.admin(`PATCH /users/${user.id}`, { disabled: false })
    expect(outcome(await ask(user.id))).toEqual([200])
    await client.admin(`DELETE /users/${user.id}`)
    expect(outcome(await ask(user.id))).toEqual(unknown)
  })

  it('are those of one environment', async () => {
    const { user } = await client.newUser()
    const { projectId } = client
    await openAuthClient(accounts.service.api, { projectId, environment: 'other' })
    const elsewhere = await accounts.project()
    expect(outcome(await ask(user.id, { environment: 'other' }))).toEqual(unknown)
    expect(outcome(await ask(user.id, { projectId: elsewhere.projectId }))).toEqual(unknown)
    const none = [404, 'AUTH_NOT_CONFIGURED']
    expect(outcome(await ask(user.id, { environment: 'none' }))).toEqual(none)
    await client.change({ enabled: false })
    expect(outcome(await ask(user.id))).toEqual(none)
  })

  it('are for services alone', async () => {
    const { user, accessToken } = await client.newUser()
    const path = `POST /${client.projectId}/management-tokens`
    const { token } = (await callAdmin(accounts.service.api, path, { name: 'all' })).body
    for (const by of ['', `${serviceToken}x`, adminToken, accessToken, String(token)]) {
      expect([by, ...outcome(await ask(user.id, { by }))]).toEqual([by, 401, 'AUTH_TOKEN_INVALID'])
    }
  })
})
