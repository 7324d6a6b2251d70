import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { openAuthClient, outcome } from './support/auth-client.ts'
import { hostileTokens } from './support/hostile-tokens.ts'
import { storedKey } from './support/stored-keys.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

it('refuses every hostile token, and still accepts valid ones', async () => {
  const client = await openAuthClient(service.api, { settings: { encryptTokens: true } })
  const { accessToken: encrypted, email } = await client.newUser()
  await client.change({ encryptTokens: false })
  const { accessToken: signed } = await client.login(email)
  const [sig, enc] = [await storedKey(world, client, 'sig'), await storedKey(world, client, 'enc')]
  const tokens = await hostileTokens({ signed, encrypted, sig, enc })
  expect(Object.keys(tokens).length).toBeGreaterThan(60)
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await client.send('POST logout', { token })
    expect([name, ...outcome(answer)]).toEqual([name, 401, 'AUTH_TOKEN_INVALID'])
    expect([name, (await client.introspect(token)).body]).toEqual([name, { active: false }])
  }
  for (const good of [signed, encrypted]) expect(await client.isActive(good)).toBe(true)
})
