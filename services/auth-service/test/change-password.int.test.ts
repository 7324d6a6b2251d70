import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import { type AccountWorld, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const newPassword = 'a wholly new one 9'
const wrongOne = 'not the password 1'
const invalidToken = [401, 'AUTH_TOKEN_INVALID']
const wrong = [401, 'AUTH_INVALID_CREDENTIALS']

type Change = { oldPassword?: string; newPassword?: string }

const change = (token: string | undefined, fields: Change = {}, from = '198.51.100.1') =>
  client.send('POST change-password', {
    body: { oldPassword: password, newPassword, ...fields },
    token,
    headers: { 'x-forwarded-for': from },
  })
const login = (email: string, tried: string, from = '198.51.100.1') =>
  client.send<LoggedIn>('POST login', {
    body: { email, password: tried },
    headers: { 'x-forwarded-for': from },
  })

describe('a new password for the old one', () => {
  it('ends every other session at once, everywhere, and keeps this one', async () => {
    await using twin = await accounts.startService()
    const there = await openAuthClient(twin.api, { projectId: client.projectId })
    const own = await client.newUser()
    const others = [await client.login(own.email), await client.login(own.email)]
    const stranger = await client.newUser()
    const answer = await change(own.accessToken)
    expect([answer.status, answer.body]).toEqual([200, { message: 'The password is changed' }])
    for (const { accessToken, refreshToken } of others) {
      expect(await there.isActive(accessToken)).toBe(false)
      expect(outcome(await there.refresh(refreshToken))).toEqual(invalidToken)
    }
    expect(await there.isActive(own.accessToken)).toBe(true)
    expect(outcome(await there.refresh(own.refreshToken))).toEqual([200])
    expect(await there.isActive(stranger.accessToken)).toBe(true)
    expect(outcome(await login(own.email, password))).toEqual(wrong)
    expect(outcome(await login(own.email, newPassword))).toEqual([200])
  })

  it('is taken over GraphQL too', async () => {
    const { email, accessToken: token } = await client.newUser()
    const query = `mutation { changePassword(oldPassword: "${password}", newPassword: "${newPassword}") { message } }`
    const { body } = await client.send('POST graphql', { body: { query }, token })
    expect(body).toEqual({ data: { changePassword: { message: expect.any(String) } } })
    expect(outcome(await login(email, newPassword))).toEqual([200])
  })

  it('leaves the ends in the database, from where Redis gets what it missed', async () => {
    const own = await client.newUser()
    await client.login(own.email)
    await change(own.accessToken)
    const { rows } = await accounts.database.query<{ end_reason: string; revoked: boolean }>(
      `select s.end_reason, r.session_id is not null as revoked
         from session s left join revocation r on r.session_id = s.id
        where s.user_id = $1 order by s.id`,
      [own.user.id],
    )
    expect(rows).toEqual([
      { end_reason: null, revoked: false },
      { end_reason: 'change', revoked: true },
    ])
  })

  it('needs a good token and both passwords', async () => {
    const { accessToken } = await client.newUser()
    expect(outcome(await change(undefined))).toEqual(invalidToken)
    await client.send('POST logout', { token: accessToken })
    expect(outcome(await change(accessToken))).toEqual(invalidToken)
    const { body } = await client.send('POST change-password', { body: { newPassword: 'short' } })
    expect(body.violations?.map(({ field, rule }) => [field, rule])).toEqual([
      ['oldPassword', 'required'],
      ['newPassword', 'too_short'],
    ])
  })

  it('is not set by a token of another environment', async () => {
    const { accessToken } = await client.newUser()
    const other = await openAuthClient(accounts.service.api, {
      projectId: client.projectId,
      environment: 'other',
    })
    const body = { oldPassword: password, newPassword }
    const answer = await other.send('POST change-password', { body, token: accessToken })
    expect(outcome(answer)).toEqual(invalidToken)
  })

  it('that breaks a rule is named, and changes nothing', async () => {
    await client.change({ password: { minScore: 3 } })
    const { email, accessToken } = await client.newUser()
    const rulesOf = async (chosen: string, oldPassword = password) =>
      (await change(accessToken, { newPassword: chosen, oldPassword })).body.violations?.map(
        ({ rule }) => rule,
      )
    expect(await rulesOf('short')).toEqual(['too_short'])
    expect(await rulesOf(email)).toEqual(['contains_email'])
    expect(await rulesOf('aaaaaaaaaaaaaaaaaaaa')).toEqual(['too_guessable'])
    // The score costs CPU, so it is checked only after the old password.
    expect(await rulesOf('aaaaaaaaaaaaaaaaaaaa', wrongOne)).toBeUndefined()
    expect(outcome(await login(email, password))).toEqual([200])
  })
})

describe('a wrong old password', () => {
  it('counts as a failed login: together they lock the account for the client', async () => {
    const { email, accessToken } = await client.newUser()
    const tries = [
      () => change(accessToken, { oldPassword: wrongOne }),
      () => login(email, wrongOne),
    ]
    for (let n = 0; n < 5; n++) {
      expect(outcome((await tries[n % 2]?.()) ?? (await login(email, wrongOne)))).toEqual(wrong)
    }
    const locked = [423, 'AUTH_ACCOUNT_LOCKED']
    const refused = await change(accessToken)
    expect(outcome(refused)).toEqual(locked)
    expect(Date.parse(refused.body.lockedUntil ?? '')).toBeGreaterThan(Date.now())
    expect(outcome(await login(email, password))).toEqual(locked)
    expect(outcome(await change(accessToken, {}, '203.0.113.9'))).toEqual([200])
  })

  it('counts against the limit of logins', async () => {
    await client.change({ lockout: { threshold: 1000 } })
    const { email, accessToken } = await client.newUser()
    const from = '203.0.113.20'
    const calls = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? change(accessToken, { oldPassword: wrongOne }, from)
        : login(email, wrongOne, from),
    )
    for (const answer of await Promise.all(calls)) expect(outcome(answer)).toEqual(wrong)
    const limited = [429, 'RATE_LIMIT_EXCEEDED']
    expect(outcome(await change(accessToken, {}, from))).toEqual(limited)
    expect(outcome(await login(email, password, from))).toEqual(limited)
  })
})

describe('a change that is repeated', () => {
  const locked = [423, 'AUTH_ACCOUNT_LOCKED']
  const limited = [429, 'RATE_LIMIT_EXCEEDED']
  const guess = { oldPassword: wrongOne, newPassword: 'another guess 77' }

  /** The user has changed the password, and another session has ended. */
  async function changed() {
    const own = await client.newUser()
    await client.login(own.email)
    expect(outcome(await change(own.accessToken))).toEqual([200])
    return own
  }

  it('succeeds each time, and leaves no failure counted', async () => {
    await client.change({ lockout: { threshold: 2 } })
    const own = await changed()
    for (let n = 0; n < 3; n++) expect(outcome(await change(own.accessToken))).toEqual([200])
    expect(outcome(await login(own.email, wrongOne))).toEqual(wrong)
    expect(outcome(await login(own.email, newPassword))).toEqual([200])
  })

  it('leaves the sessions that began since', async () => {
    const own = await changed()
    const since = await login(own.email, newPassword)
    expect(outcome(await change(own.accessToken))).toEqual([200])
    expect(await client.isActive(since.body.accessToken)).toBe(true)
  })

  it('with another new password fails, and counts as two failed logins', async () => {
    await client.change({ lockout: { threshold: 4 } })
    const own = await changed()
    for (let n = 0; n < 2; n++) expect(outcome(await change(own.accessToken, guess))).toEqual(wrong)
    expect(outcome(await change(own.accessToken))).toEqual(locked)
    expect(outcome(await login(own.email, newPassword))).toEqual(locked)
  })

  it('does not try the new password once the old one has locked the account', async () => {
    await client.change({ lockout: { threshold: 3 } })
    const own = await changed()
    for (let n = 0; n < 2; n++) expect(outcome(await login(own.email, wrongOne))).toEqual(wrong)
    expect(outcome(await change(own.accessToken))).toEqual(wrong)
    expect(outcome(await login(own.email, newPassword))).toEqual(locked)
  })

  it('counts twice against the limit of logins', async () => {
    await client.change({ lockout: { threshold: 1000 } })
    const own = await changed()
    const from = '203.0.113.21'
    for (let n = 0; n < 10; n++) {
      expect(outcome(await change(own.accessToken, guess, from))).toEqual(wrong)
    }
    expect(outcome(await login(own.email, newPassword, from))).toEqual(limited)
  })

  it('fails for a session that has not made the change, and counts once', async () => {
    await client.change({ lockout: { threshold: 2 } })
    const own = await changed()
    const since = await login(own.email, newPassword)
    expect(outcome(await change(since.body.accessToken))).toEqual(wrong)
    expect(outcome(await login(own.email, newPassword))).toEqual([200])
  })
})

describe('at the same moment', () => {
  it('two changes have one winner, and nobody keeps a session with the password of before', async () => {
    const own = await client.newUser()
    const other = await client.login(own.email)
    const [one, two, ...logins] = await Promise.all([
      change(own.accessToken, {}, '203.0.113.1'),
      change(other.accessToken, { newPassword: 'another new one 8' }, '203.0.113.2'),
      ...Array.from({ length: 4 }, (_, n) => login(own.email, password, `203.0.113.1${n}`)),
    ])
    const winners = [one, two].filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    for (const { status, body } of logins) {
      expect([200, 401]).toContain(status)
      if (status === 200) expect(await client.isActive(body.accessToken)).toBe(false)
    }
    const alive = [own, other].map(({ accessToken }) => client.isActive(accessToken))
    expect((await Promise.all(alive)).filter(Boolean)).toHaveLength(1)
  })
})
