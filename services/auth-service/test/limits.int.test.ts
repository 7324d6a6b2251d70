import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'
import type { Running } from './support/under-test.ts'

let accounts: AccountWorld
let twin: Running
/** The same project on two instances. */
let client: AuthClient
let other: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  twin = await accounts.startService()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
  other = await openAuthClient(twin.api, { projectId: client.projectId })
})
afterAll(async () => {
  await twin?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

type Options = { at?: string; by?: AuthClient }
const from = (address: string) => ({ 'x-forwarded-for': address })
const post = (path: string, body: unknown, { at = '203.0.113.1', by = client }: Options = {}) =>
  by.send(`POST ${path}`, { body, headers: from(at) })
const signup = (email: string, options?: Options) => post('signup', { email, password }, options)
const login = (email: string, tried: string, options?: Options) =>
  post('login', { email, password: tried }, options)
const clientIp = () =>
  `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`

function expectLimited({ status, headers, body }: Answer): void {
  expect([status, body.error]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
}

const limited = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429)

describe('rate limits', () => {
  it('let ten signups a minute through for one address, over two instances at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        post(
          'signup',
          { email: newEmail(), password: 'short' },
          { by: i % 2 === 0 ? client : other },
        ),
      ),
    )
    expect(limited(answers)).toHaveLength(4)
    for (const answer of limited(answers)) expectLimited(answer)
    expect(outcome(await signup(newEmail(), { at: '203.0.113.2' }))).toEqual([201])
  })

  it('let twenty logins a minute through for one address, whatever the account', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        login(newEmail(), password, { by: i % 2 === 0 ? client : other }),
      ),
    )
    expect(limited(answers)).toHaveLength(4)
    for (const answer of limited(answers)) expectLimited(answer)
  })

  it('count an IPv6 network of /64 as one address', async () => {
    const within = Array.from({ length: 11 }, (_, i) =>
      post('signup', { email: newEmail(), password: 'short' }, { at: `2001:db8:1:2:${i}::7` }),
    )
    expect(limited(await Promise.all(within))).toHaveLength(1)
    const next = post('signup', { email: newEmail(), password: 'short' }, { at: '2001:db8:1:3::7' })
    expect((await next).status).toBe(400)
  })

  it.each(['recover-password', 'resend-code'])(
    'let five calls of %s a minute through for one e-mail address, from anywhere, known or not',
    async (path) => {
      const known = newEmail()
      await signup(known)
      for (const email of [known, newEmail()]) {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            post(path, { email }, { at: clientIp(), by: i % 2 === 0 ? client : other }),
          ),
        )
        expect(limited(answers)).toHaveLength(3)
        for (const answer of limited(answers)) expectLimited(answer)
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
      }
      expect((await post(path, { email: newEmail() })).status).toBe(200)
    },
  )

  it('are of one project alone', async () => {
    const tries = Array.from({ length: 11 }, () =>
      post('signup', { email: newEmail(), password: 'short' }),
    )
    expect(limited(await Promise.all(tries))).toHaveLength(1)
    const elsewhere = await accounts.project({ emailVerification: false })
    expect(outcome(await signup(newEmail(), { by: elsewhere }))).toEqual([201])
  })
})
