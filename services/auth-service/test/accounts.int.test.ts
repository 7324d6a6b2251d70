import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import {
  type AuthClient,
  openAuthClient,
  outcome,
  password,
  type SignedUp,
} from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient
let email: string

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project()
  email = newEmail()
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const post = <T = LoggedIn>(path: string, body: unknown) => client.send<T>(`POST ${path}`, { body })
const mailedCode = async (count = 1) =>
  (await accounts.catcher.waitFor(email, { count })).code ?? 'no code'
const verified = async () => {
  await post('signup', { email, password })
  await post('confirm-signup', { email, code: await mailedCode() })
}

describe('signup', () => {
  it('mails a code; the user is unverified until it is confirmed, and then logged in', async () => {
    const names = { firstName: 'Ada', lastName: 'L.' }
    const signup = await post<SignedUp>('signup', { email, password, ...names })
    expect([signup.status, signup.body]).toEqual([
      201,
      { userId: expect.stringMatching(/^[0-9a-f-]{36}$/), message: expect.any(String) },
    ])
    const early = await post<{ message: string }>('login', { email, password })
    expect(outcome(early)).toEqual([403, 'AUTH_EMAIL_NOT_VERIFIED'])
    // It says what to do next.
    expect(early.body.message).toMatch(/mailed code to confirm-signup; resend-code/)
    expect(outcome(await post('login', { email, password: 'whatever else' }))).toEqual([
      403,
      'AUTH_EMAIL_NOT_VERIFIED',
    ])
    const confirmed = await post('confirm-signup', { email, code: await mailedCode() })
    const user = { id: signup.body.userId, email, ...names, roles: [] }
    expect([confirmed.status, confirmed.body]).toEqual([
      200,
      { accessToken: expect.any(String), refreshToken: expect.any(String), user },
    ])
    expect(await client.isActive(confirmed.body.accessToken)).toBe(true)
    const login = await post('login', { email: ` ${email.toUpperCase()} `, password })
    expect([login.status, login.body.user]).toEqual([200, user])
  })

  it('without verification logs the user in at once and mails nothing', async () => {
    await client.change({ emailVerification: false })
    expect(outcome(await post('signup', { email, password }))).toEqual([201])
    const login = await post('login', { email, password })
    expect([login.status, login.body.user.firstName, login.body.user.lastName]).toEqual([
      200,
      '',
      '',
    ])
    expect(accounts.catcher.mails.filter(({ to }) => to === email)).toEqual([])
  })

  it('makes one account of an address, however it is written and how many ask at once', async () => {
    const answers = await Promise.all(
      [email, email.toUpperCase(), ` ${email}`, email].map((written) =>
        post('signup', { email: written, password }),
      ),
    )
    const outcomes = answers.map(outcome).toSorted((a, b) => a[0] - b[0])
    const exists = [409, 'AUTH_EMAIL_EXISTS']
    expect(outcomes).toEqual([[201], exists, exists, exists])
    expect(outcome(await post('signup', { email, password: 'another password 1' }))).toEqual(exists)
    expect(accounts.catcher.mails.filter(({ to }) => to === email).length).toBeLessThanOrEqual(1)
  })

  it('is separate in each environment', async () => {
    await verified()
    const headers = { environment: 'other' }
    const login = () => client.send('POST login', { headers, body: { email, password } })
    expect(outcome(await login())).toEqual([404, 'AUTH_NOT_CONFIGURED'])
    const { projectId } = client
    await openAuthClient(accounts.service.api, { projectId, environment: 'other' })
    expect(outcome(await login())).toEqual([401, 'AUTH_INVALID_CREDENTIALS'])
  })

  it('names every rule that the password breaks', async () => {
    await client.change({ password: { minLength: 30 } })
    const { status, body } = await post('signup', { email, password: 'password' })
    expect([status, body.error, body.violations]).toEqual([
      400,
      'VALIDATION_ERROR',
      [
        {
          field: 'password',
          message: 'must have at least 30 characters',
          rule: 'too_short',
        },
        {
          field: 'password',
          message: 'must not be one of the most common passwords',
          rule: 'common',
        },
      ],
    ])
    expect(outcome(await post('signup', { email, password }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('gives the default role, or a self-assignable one that was asked for, and no other', async () => {
    const member = { defaultRole: 'member', emailVerification: false }
    const refused = await client.admin('PUT ', { auth: member })
    expect([refused.status, refused.body.violations]).toEqual([
      400,
      [
        {
          field: 'auth.defaultRole',
          message: 'is not a role of the environment',
          rule: 'unknown_role',
        },
      ],
    ])
    await client.admin('POST /roles', { name: 'member' })
    expect((await client.admin('PUT ', { auth: member })).status).toBe(200)
    const own = await client.admin('POST /roles', { name: 'author', selfAssignable: true })
    const kept = await client.admin('POST /roles', { name: 'boss' })
    const rolesOf = async (roleId?: unknown) => {
      const address = newEmail()
      const answer = await post('signup', { email: address, password, roleId })
      if (answer.status !== 201) return outcome(answer)
      return (await post('login', { email: address, password })).body.user.roles
    }
    expect(await rolesOf()).toEqual(['member'])
    expect(await rolesOf(own.body.id)).toEqual(['author'])
    expect(await rolesOf(kept.body.id)).toEqual([400, 'VALIDATION_ERROR'])
    expect(await rolesOf(randomUUID())).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('login', () => {
  it('answers alike for a wrong password and an unknown address', async () => {
    await verified()
    const wrong = await post('login', { email, password: 'not the password' })
    const unknown = await post('login', { email: newEmail(), password })
    expect(outcome(wrong)).toEqual([401, 'AUTH_INVALID_CREDENTIALS'])
    expect(unknown.body).toEqual(wrong.body)
  })

  it('takes a password in whatever form of Unicode it is typed', async () => {
    await client.change({ emailVerification: false })
    const [composed, decomposed] = [
      'Größe\u00a0ändern 7'.normalize('NFC'),
      'Größe ändern 7'.normalize('NFD'),
    ]
    expect(outcome(await post('signup', { email, password: decomposed }))).toEqual([201])
    expect(outcome(await post('login', { email, password: composed }))).toEqual([200])
    expect(outcome(await post('login', { email, password: decomposed }))).toEqual([200])
    await post('recover-password', { email })
    const newPassword = 'Ångström 10⁻¹⁰ m'
    const code = await mailedCode()
    await post('reset-password', { email, newPassword: newPassword.normalize('NFC'), code })
    const typed = newPassword.normalize('NFD')
    expect(outcome(await post('login', { email, password: typed }))).toEqual([200])
  })

  it('refuses a password that is reset at the same moment', async () => {
    await verified()
    await post('recover-password', { email })
    const code = await mailedCode(2)
    const [reset, ...logins] = await Promise.all([
      post('reset-password', { email, newPassword: 'a wholly new one 9', code }),
      ...Array.from({ length: 8 }, () => post('login', { email, password })),
    ])
    expect(outcome(reset)).toEqual([200])
    for (const { status, body } of logins) {
      expect([200, 401, 423]).toContain(status)
      if (status === 200) expect(await client.isActive(body.accessToken)).toBe(false)
    }
    expect([401, 423]).toContain((await post('login', { email, password })).status)
  })
})

describe('a new password', () => {
  it('accepts the mailed code once, ends every session and replaces the old password', async () => {
    await verified()
    const { accessToken, refreshToken } = (await post('login', { email, password })).body
    const recovery = await post('recover-password', { email })
    expect([recovery.status, recovery.body]).toEqual([200, { message: expect.any(String) }])
    const code = await mailedCode(2)
    const newPassword = 'a wholly new one 9'
    const reset = await post('reset-password', { email, newPassword, code })
    expect([reset.status, reset.body]).toEqual([200, { message: expect.any(String) }])
    expect(await client.isActive(accessToken)).toBe(false)
    expect(outcome(await client.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
    expect(outcome(await post('login', { email, password }))[0]).toBe(401)
    expect(outcome(await post('login', { email, password: newPassword }))).toEqual([200])
    expect(outcome(await post('reset-password', { email, newPassword, code }))).toEqual([
      400,
      'AUTH_INVALID_CODE',
    ])
  })

  it('that breaks a rule is named and costs no attempt', async () => {
    await verified()
    await post('recover-password', { email })
    const code = await mailedCode(2)
    for (let i = 0; i < 6; i++) {
      const { status, body } = await post('reset-password', { email, newPassword: 'short', code })
      expect([status, body.violations?.[0]?.field]).toEqual([400, 'newPassword'])
    }
    const newPassword = 'a wholly new one 9'
    expect(outcome(await post('reset-password', { email, newPassword, code }))).toEqual([200])
  })

  it('is requested alike for every address, but mailed only to existing users', async () => {
    await verified()
    const known = await post('recover-password', { email })
    const stranger = newEmail()
    const unknown = await post('recover-password', { email: stranger })
    const resent = await post('resend-code', { email: stranger })
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body])
    expect(resent.status).toBe(200)
    await mailedCode(2)
    expect(accounts.catcher.mails.filter(({ to }) => to === stranger)).toEqual([])
    const reset = await post('reset-password', {
      email: stranger,
      newPassword: 'a wholly new one 9',
      code: '123456',
    })
    expect(outcome(reset)).toEqual([400, 'AUTH_INVALID_CODE'])
  })

  it('confirms the address that its code was mailed to', async () => {
    await post('signup', { email, password })
    const verification = await mailedCode()
    await post('recover-password', { email })
    const code = await mailedCode(2)
    const newPassword = 'a wholly new one 9'
    expect(outcome(await post('reset-password', { email, newPassword, code }))).toEqual([200])
    expect(outcome(await post('login', { email, password: newPassword }))).toEqual([200])
    expect(outcome(await post('confirm-signup', { email, code: verification }))).toEqual([
      400,
      'AUTH_INVALID_CODE',
    ])
  })
})
