import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'
import type { Running } from './support/under-test.ts'

let accounts: AccountWorld
/** Hashes one password at a time. About 25 may wait, whatever the speed of this machine. */
let narrow: Running

beforeAll(async () => {
  accounts = await openAccountWorld()
  const client = await accounts.project({ emailVerification: false })
  const { projectId } = client
  const { email } = await client.newUser()
  const from = performance.now()
  for (let n = 0; n < 4; n++) await client.login(email)
  const loginMs = (performance.now() - from) / 4
  narrow = await accounts.startService({ hashing: { concurrency: 1, maxWaitMs: 25 * loginMs } })
  // It learns how long a hash takes.
  const atNarrow = await openAuthClient(narrow.api, { projectId })
  for (let n = 0; n < 25; n++) await login(atNarrow, email, `198.51.100.${n}`)
})
afterAll(async () => {
  await narrow?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

const login = (client: AuthClient, email: string, address: string) =>
  client.send('POST login', { body: { email, password }, headers: { 'x-forwarded-for': address } })

/** Sends more and more logins until one is refused: then as many wait as may. */
async function flood(client: AuthClient, addressOf: (n: number) => string) {
  const sent: Promise<Answer>[] = []
  const refused = Promise.withResolvers<true>()
  const one = async () => {
    const answer = await login(client, newEmail(), addressOf(sent.length))
    expect([401, 503]).toContain(answer.status)
    if (answer.status === 503) refused.resolve(true)
    return answer
  }
  for (let isFull = false; !isFull; ) {
    const batch = Array.from({ length: 40 }, () => {
      const answer = one()
      sent.push(answer)
      return answer
    })
    isFull = await Promise.race([
      refused.promise,
      ...batch.map((answer) => answer.then(() => false)),
    ])
  }
  return { ended: Promise.all(sent) }
}

describe('a flood of logins', () => {
  it('at one tenant refuses no login at another', async () => {
    const flooded = await openAuthClient(narrow.api)
    const quiet = await openAuthClient(narrow.api)
    const { email } = await quiet.newUser()
    for (let round = 0; round < 3; round++) {
      const { ended } = await flood(flooded, (n) => `198.${18 + round}.${n}.1`)
      expect(outcome(await login(quiet, email, '203.0.113.7'))).toEqual([200])
      await ended
    }
  })

  it('from one network refuses no login from another', async () => {
    const client = await openAuthClient(narrow.api)
    const { email } = await client.newUser()
    const { ended } = await flood(client, (n) => `2001:db8:7:${n.toString(16)}::1`)
    expect(outcome(await login(client, email, '2001:db8:8::1'))).toEqual([200])
    await ended
  })

  it('that is refused for lack of capacity does not count for the client’s limit', async () => {
    await using full = await accounts.startService({ hashing: { concurrency: 1, maxWaitMs: 0 } })
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
      const answers = await Promise.all(Array.from({ length: batch }, () => at(full.api)))
      expect(answers.filter((status) => status !== 200 && status !== 503)).toEqual([])
      admitted += answers.filter((status) => status === 200).length
      refused += answers.filter((status) => status === 503).length
    }
    // More calls got 503 than the limit allows, but none of them counts. The admitted calls use up
    // the limit exactly, on every replica.
    expect(refused).toBeGreaterThan(20)
    expect([await at(full.api), await at(accounts.service.api)]).toEqual([429, 429])
  })
})
