import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld

beforeAll(async () => {
  // One hash at a time, and room for 75 waiting ones on a fast machine.
  accounts = await openAccountWorld({ hashing: { concurrency: 1, maxWaitMs: 3_000 } })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const login = (client: AuthClient, email: string, address: string) =>
  client.send('POST login', { body: { email, password }, headers: { 'x-forwarded-for': address } })

describe('a flood of logins', () => {
  it('at one tenant refuses no login at another', async () => {
    const flooded = await accounts.project({ emailVerification: false })
    const quiet = await accounts.project({ emailVerification: false })
    const { email } = await quiet.newUser()
    for (let round = 0; round < 3; round++) {
      const flood = Array.from({ length: 130 }, (_, n) =>
        login(flooded, newEmail(), `198.${18 + round}.${n}.1`),
      )
      // Waits until the line is full before the quiet client calls.
      await Promise.any(flood.map(async (one) => expect(await one).toMatchObject({ status: 503 })))
      expect(outcome(await login(quiet, email, '203.0.113.7'))).toEqual([200])
      await Promise.all(flood)
    }
  })

  it('from one network refuses no login from another', async () => {
    const client = await accounts.project({ emailVerification: false })
    const { email } = await client.newUser()
    const flood = Array.from({ length: 130 }, (_, n) =>
      login(client, newEmail(), `2001:db8:7:${n.toString(16)}::1`),
    )
    await Promise.any(flood.map(async (one) => expect(await one).toMatchObject({ status: 503 })))
    expect(outcome(await login(client, email, '2001:db8:8::1'))).toEqual([200])
    await Promise.all(flood)
  })

  it('that is refused for lack of capacity does not count for the client’s limit', async () => {
    await using narrow = await accounts.startService({ hashing: { concurrency: 1, maxWaitMs: 0 } })
    const client = await accounts.project({ emailVerification: false })
    const { email } = await client.newUser()
    const at = (api: string) =>
      fetch(`${api}/auth/login`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-project-id': client.projectId,
          'x-forwarded-for': '203.0.113.20',
        },
        body: JSON.stringify({ email, password }),
      }).then(({ status }) => status)
    let admitted = 0
    let refused = 0
    while (admitted < 20) {
      const batch = Math.min(8, 20 - admitted)
      const answers = await Promise.all(Array.from({ length: batch }, () => at(narrow.api)))
      expect(answers.filter((status) => status !== 200 && status !== 503)).toEqual([])
      admitted += answers.filter((status) => status === 200).length
      refused += answers.filter((status) => status === 503).length
    }
    // More calls got 503 than the limit allows, but none of them counts. The admitted calls use up
    // the limit exactly, on every replica.
    expect(refused).toBeGreaterThan(20)
    expect([await at(narrow.api), await at(accounts.service.api)]).toEqual([429, 429])
  })
})
