import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import bcrypt from 'bcrypt'
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

const wrongTimes = async (email: string, times: number, options?: Options) => {
  const outcomes: unknown[] = []
  for (let i = 0; i < times; i++) outcomes.push(outcome(await login(email, `wrong ${i}`, options)))
  return outcomes
}
const invalid = [401, 'AUTH_INVALID_CREDENTIALS']
const locked = [423, 'AUTH_ACCOUNT_LOCKED']
const untilOf = ({ body }: Answer) => new Date(String(body['lockedUntil'])).getTime()

describe('the lockout', () => {
  let email: string
  beforeEach(async () => {
    email = newEmail()
    await signup(email, { at: clientIp() })
  })

  it('locks after five failures, also for the right password, until the announced time', async () => {
    expect(await wrongTimes(email, 5)).toEqual(Array(5).fill(invalid))
    const refused = await login(email, password)
    expect(outcome(refused)).toEqual(locked)
    expect(refused.body['lockedUntil']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(untilOf(refused) - Date.now()).toBeGreaterThan(890_000)
    expect(untilOf(refused) - Date.now()).toBeLessThanOrEqual(901_000)
    expect(outcome(await login(email, password, { by: other }))).toEqual(locked)
  })

  it('is not extended by further tries', async () => {
    await wrongTimes(email, 5)
    const first = untilOf(await login(email, 'wrong'))
    const later = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        login(email, 'wrong', { by: i % 2 === 0 ? client : other }),
      ),
    )
    expect(later.map(untilOf)).toEqual(Array(10).fill(first))
  })

  it('reveals at most five results of simultaneous tries', async () => {
    const answers = await Promise.all(
      Array.from({ length: 19 }, (_, i) =>
        login(email, `wrong ${i}`, { by: i % 2 === 0 ? client : other }),
      ),
    )
    const outcomes = answers.map((answer) => outcome(answer).join()).toSorted()
    expect(outcomes).toEqual([
      ...Array<string>(5).fill(invalid.join()),
      ...Array<string>(14).fill(locked.join()),
    ])
    const times = answers.filter(({ status }) => status === 423).map(untilOf)
    expect(new Set(times).size).toBe(1)
  })

  it('treats an unknown address alike', async () => {
    const nobody = newEmail()
    expect(await wrongTimes(nobody, 5)).toEqual(Array(5).fill(invalid))
    const refused = await login(nobody, password)
    expect(outcome(refused)).toEqual(locked)
    expect(untilOf(refused) - Date.now()).toBeGreaterThan(890_000)
  })

  it('applies to the network of the failures, unless the environment applies it to all', async () => {
    await wrongTimes(email, 5, { at: '203.0.113.7' })
    expect(outcome(await login(email, password, { at: '203.0.113.7' }))).toEqual(locked)
    expect(outcome(await login(email, password, { at: '203.0.113.8' }))).toEqual([200])

    await client.change({ lockout: { scope: 'account' } })
    await wrongTimes(email, 5, { at: '203.0.113.9' })
    expect(outcome(await login(email, password, { at: '203.0.113.10' }))).toEqual(locked)
  })

  it('starts counting again after a success', async () => {
    await wrongTimes(email, 4)
    expect(outcome(await login(email, password))).toEqual([200])
    expect(await wrongTimes(email, 4)).toEqual(Array(4).fill(invalid))
    expect(outcome(await login(email, password))).toEqual([200])
  })

  it('ends after the time that the environment sets, and then counts again', async () => {
    await client.change({ lockout: { threshold: 2, duration: 1 } })
    await wrongTimes(email, 2)
    const refused = await login(email, password)
    expect(outcome(refused)).toEqual(locked)
    await pastTime(untilOf(refused))
    expect(await wrongTimes(email, 1)).toEqual([invalid])
    expect(outcome(await login(email, password))).toEqual([200])
  })

  it('holds for everybody after fifty failures in an hour from anywhere', async () => {
    const addresses = Array.from({ length: 50 }, (_, i) => `203.0.${100 + i}.1`)
    const answers = await Promise.all(addresses.map((at) => login(email, 'wrong', { at })))
    expect(new Set(answers.map((answer) => outcome(answer).join()))).toEqual(
      new Set([invalid.join()]),
    )
    expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual(locked)
  })

  it('is cleared by a new password', async () => {
    await wrongTimes(email, 5)
    await post('recover-password', { email })
    const { code } = await accounts.catcher.waitFor(email, { codes: true })
    const newPassword = 'a wholly new one 9'
    expect(outcome(await post('reset-password', { email, newPassword, code }))).toEqual([200])
    expect(outcome(await login(email, newPassword))).toEqual([200])
  })

  it('is cleared by the administrator', async () => {
    await wrongTimes(email, 5)
    const { body } = await client.admin(`GET /users?email=${email}`)
    const [user] = (body as unknown as { users: { id: string }[] }).users
    expect((await client.admin(`POST /users/${user?.id}/unlock`)).status).toBe(204)
    expect((await client.admin(`POST /users/${randomUUID()}/unlock`)).status).toBe(404)
    expect(outcome(await login(email, password))).toEqual([200])
  })

  it('from before the signup does not apply to the new account', async () => {
    const early = newEmail()
    await wrongTimes(early, 5)
    expect(outcome(await login(early, password))).toEqual(locked)
    expect(outcome(await signup(early))).toEqual([201])
    expect(outcome(await login(early, password))).toEqual([200])

    await client.change({ lockout: { scope: 'account' } })
    const guessed = newEmail()
    await wrongTimes(guessed, 4)
    expect(outcome(await signup(guessed))).toEqual([201])
    expect(await wrongTimes(guessed, 4)).toEqual(Array(4).fill(invalid))
    expect(outcome(await login(guessed, password, { at: clientIp() }))).toEqual([200])
  })

  it('is not ended by a signup that finds the address registered', async () => {
    await wrongTimes(email, 5)
    expect(outcome(await signup(email))).toEqual([409, 'AUTH_EMAIL_EXISTS'])
    expect(outcome(await login(email, password))).toEqual(locked)
  })

  it('never applies to an unconfirmed address', async () => {
    const unconfirmed = newEmail()
    await wrongTimes(unconfirmed, 5)
    const passwordHash = await bcrypt.hash(password, 4)
    const users = [{ email: unconfirmed, passwordHash, emailVerified: false }]
    await client.admin('POST /users/import', { users })
    const notVerified = [403, 'AUTH_EMAIL_NOT_VERIFIED']
    expect(outcome(await login(unconfirmed, password))).toEqual(notVerified)
    expect(await wrongTimes(unconfirmed, 7)).toEqual(Array(7).fill(notVerified))
  })

  it('is of one project alone', async () => {
    await wrongTimes(email, 5)
    const elsewhere = await accounts.project({ emailVerification: false })
    await signup(email, { by: elsewhere })
    expect(outcome(await login(email, password, { by: elsewhere }))).toEqual([200])
  })
})

/** Redis and this process use the clock of one machine. */
function pastTime(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now() + 5)))
}
