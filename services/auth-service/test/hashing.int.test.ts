import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import { type AccountWorld, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  // One hash at a time and a short queue: a few logins fill it.
  accounts = await openAccountWorld({ hashing: { concurrency: 1, maxWaitMs: 200 } })
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

let counter = 0
/** Each login comes from a new address, because rate limits are not tested here. */
function login(email: string): Promise<Answer> {
  const address = `198.51.${Math.floor(++counter / 250)}.${counter % 250}`
  return client.send('POST login', {
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  })
}

describe('more logins than can be hashed', () => {
  it('are refused with Retry-After at once, take no memory, and leave no trace', async () => {
    const { email } = await client.newUser()
    for (let round = 0; round < 3; round++) await flood(email)
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    const answers: Answer[] = []
    for (let round = 0; round < 6; round++) answers.push(...(await flood(email)))
    globalThis.gc?.()
    const grownMiB = (process.memoryUsage().rss - before) / 2 ** 20

    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(answers.length / 2)
    for (const { headers, body } of refused) {
      expect([body.error, headers.get('retry-after')]).toEqual(['SERVICE_UNAVAILABLE', '1'])
    }
    const others = answers.filter(({ status }) => status !== 503)
    expect(others.length).toBeGreaterThan(0)
    expect(new Set(others.map((answer) => outcome(answer).join()))).toEqual(new Set(['200']))
    expect(grownMiB).toBeLessThan(64)
    expect(outcome(await login(email))).toEqual([200])
    const metrics = await (await fetch(`${accounts.service.internal}/metrics`)).text()
    expect(metrics).toMatch(/surehook_auth_hash_queue_depth\{[^}]*\} 0\n/)
    expect(metrics).toMatch(/surehook_auth_hash_refused_total\{[^}]*\} [1-9]/)
    expect(metrics).toMatch(/surehook_auth_hash_duration_seconds_count\{[^}]*\} [1-9]/)
  })

  it('do not delay token checks', async () => {
    const { email, accessToken } = await client.newUser()
    const order: string[] = []
    const flooding = flood(email).then(() => order.push('hashes'))
    expect(await client.isActive(accessToken)).toBe(true)
    order.push('check')
    await flooding
    expect(order).toEqual(['check', 'hashes'])
  })
})

const flood = (email: string) => Promise.all(Array.from({ length: 64 }, () => login(email)))
