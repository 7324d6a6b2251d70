import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import {
  type AuthClient,
  callAdmin,
  openAuthClient,
  outcome,
  password,
} from './support/auth-client.ts'
import { openWorld, type Running, sharedStack, type World } from './support/under-test.ts'

let world: World
let redis: TcpProxy
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  redis = await TcpProxy.openTo(sharedStack().redisUrl)
  service = await world.startService({ redis: { url: redis.urlOf(sharedStack().redisUrl) } })
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await redis?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const unavailable = [503, 'SERVICE_UNAVAILABLE']
const admin = async (request: string, body?: unknown) => {
  const answer = await client.admin(request, body)
  return answer.status < 400 ? [answer.status] : [answer.status, answer.body.error]
}

it('without Redis exactly these operations work, and the others get 503', async () => {
  const idle = { email: `${randomUUID()}@example.com`, passwordHash: `$2b$04$${'a'.repeat(53)}` }
  await client.admin('POST /users/import', { users: [idle] })
  const { body: list } = await client.admin('GET /users')
  const [{ id: idleId } = { id: '' }] = (list as unknown as { users: { id: string }[] }).users
  const [here, gone, disabled] = [
    await client.newUser(),
    await client.newUser(),
    await client.newUser(),
  ]
  const of = (user: { user: { id: string } }, path = '') => `/users/${user.user.id}${path}`
  redis.set({ kind: 'reset' })
  const isAway = async () => (await client.introspect(here.accessToken)).status === 503
  await until(isAway, { what: 'the outage' })

  // The key set, and everything that the administrator reads or changes without ending a session.
  expect((await client.send('GET .well-known/jwks.json')).status).toBe(200)
  const { body } = await client.send('POST graphql', {
    body: { query: '{ jwks { keys { kid } } }' },
  })
  expect(body['errors']).toBeUndefined()
  expect(await admin('PUT ', { auth: { accessTokenTtl: 600 } })).toEqual([200])
  expect(await admin('POST /roles', { name: 'writer' })).toEqual([201])
  expect(await admin('GET /users')).toEqual([200])
  expect(await admin(`PATCH ${of(here)}`, { firstName: 'Ada' })).toEqual([200])
  expect(await admin(`PATCH /users/${idleId}`, { roles: ['writer'], disabled: true })).toEqual([
    200,
  ])
  expect(await admin(`POST /users/${idleId}/logout`)).toEqual([204])
  const another = { ...idle, email: `${randomUUID()}@example.com` }
  expect(await admin('POST /users/import', { users: [another] })).toEqual([200])
  expect(await admin('POST /keys/rotate')).toEqual([200])
  const token = `POST /${client.projectId}/management-tokens`
  expect((await callAdmin(service.api, token, { name: 'one' })).status).toBe(201)

  // An unlock does nothing. An operation that ends sessions takes effect but has to be repeated.
  expect(await admin(`POST ${of(here, '/unlock')}`)).toEqual(unavailable)
  expect(await admin(`GET ${of(here, '/lock')}`)).toEqual(unavailable)
  expect(await admin(`GET ${of(here, '/sessions')}`)).toEqual([200])
  expect(await admin(`DELETE ${of(here)}`)).toEqual(unavailable)
  expect(await admin(`GET ${of(here)}`)).toEqual([200])
  expect(await admin(`POST ${of(gone, '/logout')}`)).toEqual(unavailable)
  expect(await admin(`PATCH ${of(disabled)}`, { disabled: true })).toEqual(unavailable)
  expect((await client.admin(`GET ${of(disabled)}`)).body).toMatchObject({ disabled: true })

  // A request that is refused without asking Redis gets its usual answer.
  expect(outcome(await client.send('POST logout'))).toEqual([401, 'AUTH_TOKEN_INVALID'])
  expect(outcome(await client.refresh('none of ours'))).toEqual([401, 'AUTH_TOKEN_INVALID'])
  expect(outcome(await client.send('POST login', { body: {} }))).toEqual([400, 'VALIDATION_ERROR'])

  // All other operations of a user.
  const { email, accessToken, refreshToken } = here
  const code = '123456'
  for (const [path, sent] of [
    ['signup', { email: `${randomUUID()}@example.com`, password }],
    ['confirm-signup', { email, code }],
    ['resend-code', { email }],
    ['login', { email, password }],
    ['recover-password', { email }],
    ['reset-password', { email, newPassword: 'a wholly new one 9', code }],
    ['refresh-token', { refreshToken }],
  ] as const) {
    expect([path, outcome(await client.send(`POST ${path}`, { body: sent }))]).toEqual([
      path,
      unavailable,
    ])
  }
  expect(outcome(await client.send('POST logout', { token: accessToken }))).toEqual(unavailable)
  expect((await fetch(`${service.internal}/readyz`)).status).toBe(200)

  redis.set({ kind: 'pass' })
  for (const [request, sent, wanted] of [
    [`POST ${of(gone, '/logout')}`, undefined, [204]],
    [`PATCH ${of(disabled)}`, { disabled: true }, [200]],
  ] as const) {
    let answer: unknown[] = unavailable
    const isAnswered = async () => {
      answer = await admin(request, sent)
      return answer[0] !== 503
    }
    await until(isAnswered, { what: 'the repeat' })
    expect(answer).toEqual(wanted)
  }
  expect(await client.isActive(accessToken)).toBe(true)
  expect(await client.isActive(gone.accessToken)).toBe(false)
  expect(await client.isActive(disabled.accessToken)).toBe(false)
})
