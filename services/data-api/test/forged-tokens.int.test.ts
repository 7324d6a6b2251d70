import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Answer, type Client } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const maxFailedTokensPerMinute = 5

let world: World
let running: Running
let tenant: Tenant

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService({ maxFailedTokensPerMinute })
})
beforeEach(async () => {
  tenant = await world.tenant()
  const columns = [{ name: 'title', type: 'text' }]
  await clientOf(running.api, tenant).call('PUT _tables/posts', {
    columns,
    access: { read: ['reader'] },
  })
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const callerWith = (token: string): Client => clientOf(running.api, { ...tenant, token })
const goodToken = () => world.issuer.token(tenant, { roles: ['reader'], encrypted: true })
const asked = () => world.issuer.asked.get('/auth/introspect') ?? 0
const read = (token: string, from: string) =>
  callerWith(token).call('GET posts', undefined, { 'x-forwarded-for': from })
const outcome = ({ status, body }: Answer) => (status < 400 ? [status] : [status, body.error])

const limited = [429, 'RATE_LIMIT_EXCEEDED']
const invalid = [401, 'AUTH_TOKEN_INVALID']

async function forgeUpToLimit(from: string): Promise<void> {
  for (let n = 0; n < maxFailedTokensPerMinute; n++) {
    expect(outcome(await read(await world.issuer.forged(), from))).toEqual(invalid)
  }
}

describe('forged encrypted tokens of one client', () => {
  test("are introspected up to a limit; its known tokens and others' new ones are accepted", async () => {
    const forger = '203.0.113.1'
    const known = await goodToken()
    expect(outcome(await read(known, forger))).toEqual([200])
    const before = asked()
    await forgeUpToLimit(forger)
    for (let n = 0; n < 20; n++) {
      const answer = await read(await world.issuer.forged(), forger)
      expect(outcome(answer)).toEqual(limited)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    expect(outcome(await read(await goodToken(), forger))).toEqual(limited)
    expect(outcome(await read(known, forger))).toEqual([200])
    expect(asked() - before).toBe(maxFailedTokensPerMinute)
    expect(outcome(await read(await goodToken(), '203.0.113.2'))).toEqual([200])
    const metrics = await (await fetch(`${running.internal}/metrics`)).text()
    expect(metrics).toMatch(/^surehook_data_tokens_limited_total\{.*\} 21$/m)
  })

  test('count over all tenants, and over all transports', async () => {
    const forger = '203.0.113.3'
    await forgeUpToLimit(forger)
    tenant = await world.tenant()
    const before = asked()
    expect(outcome(await read(await world.issuer.forged(), forger))).toEqual(limited)
    const caller = callerWith(await world.issuer.forged())
    const from = { 'x-forwarded-for': forger }
    expect(outcome(await caller.call('GET _tables', undefined, from))).toEqual(limited)
    const answer = await fetch(`${running.api}/api/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await world.issuer.forged()}`,
        'x-project-id': tenant.projectId,
        'content-type': 'application/json',
        ...from,
      },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await answer.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMIT_EXCEEDED', retryAfter: expect.any(Number) } }],
    })
    expect(asked()).toBe(before)
  })

  test('do not affect tokens that are only signed', async () => {
    const forger = '203.0.113.4'
    await forgeUpToLimit(forger)
    const signed = await world.issuer.token(tenant, { roles: ['reader'] })
    expect(outcome(await read(signed, forger))).toEqual([200])
  })
})
