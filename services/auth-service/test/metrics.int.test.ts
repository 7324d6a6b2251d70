import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type AuthClient, openAuthClient, password } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

/** Returns the value of `name{label="value",…}`, whatever other labels exist; 0 if it is absent. */
async function metric(name: string, labels: Record<string, string> = {}): Promise<number> {
  const text = await (await fetch(`${service.internal}/metrics`)).text()
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`${name}{`) && wanted.every((part) => one.includes(part)))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const ended = (operation: string, outcome: string) =>
  metric('surehook_auth_operations_total', { operation, outcome })

it('logins, failures by code, lockouts, hashes, refreshes, reuse and revocations are counted', async () => {
  const { email, user, refreshToken } = await client.newUser()
  expect([await ended('signup', 'success'), await ended('login', 'success')]).toEqual([1, 1])

  const login = (tried: string) => client.send('POST login', { body: { email, password: tried } })
  for (let n = 1; n <= 6; n++) await login('wrong')
  expect(await ended('login', 'AUTH_INVALID_CREDENTIALS')).toBe(5)
  expect(await ended('login', 'AUTH_ACCOUNT_LOCKED')).toBe(1)
  expect(await metric('surehook_auth_lockouts_total')).toBe(1)
  expect(await metric('surehook_auth_hash_duration_seconds_count')).toBe(7)
  expect(await metric('surehook_auth_hash_wait_seconds_count')).toBe(7)
  expect(await metric('surehook_auth_hash_queue_depth')).toBe(0)
  const code = '123456'
  await client.send('POST confirm-signup', { body: { email, code } })
  expect(await ended('confirm_signup', 'AUTH_INVALID_CODE')).toBe(1)

  await client.refresh(refreshToken)
  await client.refresh(refreshToken)
  expect(await metric('surehook_auth_refreshes_total', { outcome: 'exchanged' })).toBe(1)
  expect(await metric('surehook_auth_refreshes_total', { outcome: 'reused' })).toBe(1)
  expect(await metric('surehook_auth_revocations_total', { reason: 'reuse' })).toBe(1)

  await client.admin(`POST /users/${user.id}/unlock`)
  const { accessToken } = await client.login(email)
  await client.send('POST logout', { token: accessToken })
  expect(await metric('surehook_auth_revocations_total', { reason: 'logout' })).toBe(1)
  expect((await login(password)).status).toBe(200)
  // A revocation that is only published again is not counted again.
  for (let n = 1; n <= 2; n++) await client.admin(`POST /users/${user.id}/logout`)
  expect(await metric('surehook_auth_revocations_total', { reason: 'forced' })).toBe(1)
})
