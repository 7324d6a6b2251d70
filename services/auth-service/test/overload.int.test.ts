import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld({ hashing: { concurrency: 1, maxWaitMs: 0 } })
  client = await accounts.project()
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

/** Each call comes from its own client, so that rate limits refuse none of them. */
const from = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` })

describe('more passwords than can be hashed in time', () => {
  it('are refused with 503 and Retry-After, and those that get their turn are answered', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => {
        const path = n % 2 === 0 ? 'login' : 'signup'
        const body = { email: newEmail(), password: `${password}!` }
        return client.send(`POST ${path}`, { body, headers: from(n) })
      }),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    for (const { body, headers } of refused) {
      expect(body.error).toBe('SERVICE_UNAVAILABLE')
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    const answered = answers.filter((answer) => !refused.includes(answer))
    expect(answered.length).toBeGreaterThan(0)
    for (const { status } of answered) expect([201, 401]).toContain(status)
  })

  it('do not affect later requests, on either transport', async () => {
    const body = { email: newEmail(), password }
    const signedUp = await client.send('POST signup', { body, headers: from(100) })
    expect(signedUp.status).toBe(201)
    const query = `mutation { login(email: "${newEmail()}", password: "wrong one 1") { accessToken } }`
    const answer = await client.send('POST graphql', { body: { query }, headers: from(101) })
    expect(answer.body).toMatchObject({
      errors: [{ extensions: { code: 'AUTH_INVALID_CREDENTIALS' } }],
    })
  })
})
