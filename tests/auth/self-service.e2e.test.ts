import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { expectStatus, send } from '@surehook/scripts/client/call'
import { createTenant, type Tenant } from '@surehook/scripts/client/tenant'
import { type AuthTenant, expectOver, password } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'
import { payloadOf } from '../support/world.ts'

let world: SharedAuthWorld
let tenant: AuthTenant
let manager: Tenant

beforeAll(async () => {
  world = await openSharedAuthWorld()
  const [[, rest]] = transports as readonly [(typeof transports)[0]]
  tenant = await world.tenant(rest, { auth: { emailVerification: false } })
  expectStatus(201, await tenant.admin('POST', '/roles', { name: 'clerk' }))
  await tenant.configure({ defaultRole: 'clerk' })
  manager = await createTenant(world.system, { projectId: tenant.projectId })
  const columns = [{ name: 'status', type: 'text' }]
  expectStatus(
    200,
    await manager.rest('PUT _tables/orders', { columns, access: { read: ['clerk'] } }),
  )
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const own = (accessToken: string, request: string, body?: unknown) => {
  const [method, path] = request.split(' ')
  const headers = tenant.headers({ accessToken })
  return send(world.system.baseUrl, `${method} /auth/${path}`, { body, headers })
}
const readOrders = async (accessToken: string) => {
  const authorization = `Bearer ${accessToken}`
  return (await manager.rest('GET orders', undefined, { authorization })).status
}

it('a user ends the session of another device, and the data API refuses it with the answer', async () => {
  const { email, session } = await tenant.newUser()
  const lost = await tenant.login(email)
  expect(await readOrders(lost.accessToken)).toBe(200)
  const { body } = expectStatus(200, await own(session.accessToken, 'GET sessions'))
  const { sessions } = body as unknown as { sessions: { id: string; current: boolean }[] }
  const other = sessions.find(({ current }) => !current)
  expectStatus(204, await own(session.accessToken, `DELETE sessions/${other?.id}`))
  expect(await readOrders(lost.accessToken)).toBe(401)
  await expectOver(tenant, lost)
  expect(await readOrders(session.accessToken)).toBe(200)
})

it('a new password ends the other sessions, and keeps this one, at the data API too', async () => {
  const { email, session } = await tenant.newUser()
  const other = await tenant.login(email)
  expect(await readOrders(other.accessToken)).toBe(200)
  const change = { oldPassword: password, newPassword: 'a wholly different phrase' }
  expectStatus(200, await own(session.accessToken, 'POST change-password', change))
  expect(await readOrders(other.accessToken)).toBe(401)
  await expectOver(tenant, other)
  expect(await readOrders(session.accessToken)).toBe(200)
  await tenant.do('refreshToken', { refreshToken: session.refreshToken })
})

it('a user changes the own names, and subscribers of users hear of it', async () => {
  await manager.subscribe(world.receiver.url('/names'), { table: 'users', events: ['UPDATE'] })
  const { session } = await tenant.newUser()
  const { accessToken } = session
  expectStatus(200, await own(accessToken, 'PATCH me', { firstName: 'Ada' }))
  const [receipt] = await world.receiver.waitFor('/names', 1)
  expect(receipt && payloadOf(receipt)).toMatchObject({
    event: 'UPDATE',
    table: 'users',
    changed_fields: ['firstName'],
    record: { id: session.user.id, firstName: 'Ada' },
  })
})
