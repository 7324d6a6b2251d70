import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import {
  type AuthTenantOptions,
  expectOver,
  newEmail,
  password,
  trusting,
  wrong,
} from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

let world: SharedAuthWorld

beforeAll(async () => {
  world = await openSharedAuthWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe.each(transports)('over %s', (_name, transport) => {
  const tenantOf = (options?: AuthTenantOptions) => world.tenant(transport, options)

  describe('signup', () => {
    it('registers a user, who is unverified until the mailed code is confirmed', async () => {
      const tenant = await tenantOf()
      const email = newEmail()
      const names = { firstName: 'Ada', lastName: 'Lovelace' }
      const { userId, message } = await tenant.do('signup', { email, password, ...names })
      expect([userId, message]).toEqual([expect.stringMatching(uuid), expect.any(String)])

      const refused = await tenant.call('login', { email, password })
      expect(refused.code).toBe('AUTH_EMAIL_NOT_VERIFIED')
      const wrongPassword = await tenant.call('login', { email, password: 'something else' })
      expect(wrongPassword.code).toBe('AUTH_EMAIL_NOT_VERIFIED')

      const code = await tenant.mailbox.nextCode(email)
      expect(code).toMatch(/^[0-9]{6}$/)
      const confirmed = await tenant.do('confirmSignup', { email, code })
      expect(confirmed).toMatchObject({ user: { id: userId, email, ...names, roles: [] } })
      expect(confirmed.accessToken.split('.')).toHaveLength(3)
      expect(confirmed.refreshToken).toMatch(/^[A-Za-z0-9+/_-]+={0,2}$/)

      const again = await tenant.call('confirmSignup', { email, code })
      expect(again.code).toBe('AUTH_INVALID_CODE')
      expect((await tenant.login(email)).user).toEqual(confirmed.user)
    })

    it('without verification the user may log in at once, and nothing is mailed', async () => {
      const tenant = await tenantOf(trusting)
      const { email, session } = await tenant.newUser()
      expect(session.user).toMatchObject({ email, firstName: '', lastName: '', roles: [] })
      expect(tenant.mailbox.count(email)).toBe(0)
    })

    it('accepts an address once, however it is written', async () => {
      const tenant = await tenantOf()
      const email = newEmail()
      await tenant.do('signup', { email, password })
      for (const same of [email, email.toUpperCase(), ` ${email} `]) {
        const outcome = await tenant.call('signup', { email: same, password })
        expect(outcome.code).toBe('AUTH_EMAIL_EXISTS')
      }
    })

    it.each([
      ['too short', 'aB3$xyz'],
      ['too long', 'aB3$'.repeat(33)],
      ['common', 'password123'],
    ])('refuses a password that is %s', async (_fault, weak) => {
      const outcome = await (await tenantOf()).call('signup', { email: newEmail(), password: weak })
      expect([outcome.code, new Set(outcome.fields)]).toEqual([
        'VALIDATION_ERROR',
        new Set(['password']),
      ])
    })

    it('refuses the address as a password', async () => {
      const email = newEmail()
      const outcome = await (await tenantOf()).call('signup', { email, password: email })
      expect([outcome.code, outcome.fields]).toEqual(['VALIDATION_ERROR', ['password']])
    })

    it('gives the requested role if users may give it themselves', async () => {
      const tenant = await tenantOf(trusting)
      const roles = await Promise.all(
        [true, false].map(async (selfAssignable) => {
          const role = { name: selfAssignable ? 'seller' : 'boss', selfAssignable }
          return expectStatus(201, await tenant.admin('POST', '/roles', role)).body.id
        }),
      )
      const [seller, boss] = roles
      const { session } = await tenant.newUser({ roleId: seller })
      expect(session.user.roles).toEqual(['seller'])
      for (const roleId of [boss, '0198c5e0-11d4-7a52-b6a5-0f1c4cbe8a10', 'seller']) {
        const outcome = await tenant.call('signup', { email: newEmail(), password, roleId })
        expect([outcome.code, outcome.fields]).toEqual(['VALIDATION_ERROR', ['roleId']])
      }
    })
  })

  describe('a verification code', () => {
    it('is invalid after 5 wrong attempts', async () => {
      const tenant = await tenantOf()
      const email = newEmail()
      await tenant.do('signup', { email, password })
      const code = await tenant.mailbox.nextCode(email)
      for (let attempt = 1; attempt <= 5; attempt++) {
        const outcome = await tenant.call('confirmSignup', { email, code: wrong(code) })
        expect(outcome.code).toBe('AUTH_INVALID_CODE')
      }
      expect((await tenant.call('confirmSignup', { email, code })).code).toBe('AUTH_INVALID_CODE')
    })

    it('is valid after 4 wrong attempts', async () => {
      const tenant = await tenantOf()
      const email = newEmail()
      await tenant.do('signup', { email, password })
      const code = await tenant.mailbox.nextCode(email)
      for (let attempt = 1; attempt <= 4; attempt++) {
        await tenant.call('confirmSignup', { email, code: wrong(code) })
      }
      expect((await tenant.do('confirmSignup', { email, code })).user.email).toBe(email)
    })

    it('is valid for an hour', async () => {
      const tenant = await tenantOf()
      const email = newEmail()
      const { userId } = await tenant.do('signup', { email, password })
      const code = await tenant.mailbox.nextCode(email)
      const validForS = await world.ageCode(userId)
      expect(validForS).toBeGreaterThan(3_590)
      expect(validForS).toBeLessThanOrEqual(3_600)
      expect((await tenant.call('confirmSignup', { email, code })).code).toBe('AUTH_INVALID_CODE')
    })

    it('stays valid beside the next one that resendCode mails, and ends with it', async () => {
      const tenant = await tenantOf()
      const email = newEmail()
      await tenant.do('signup', { email, password })
      const first = await tenant.mailbox.nextCode(email)
      await tenant.do('resendCode', { email })
      const second = await tenant.mailbox.nextCode(email)
      await tenant.do('confirmSignup', { email, code: first })
      const outcome = await tenant.call('confirmSignup', { email, code: second })
      expect(outcome.code).toBe('AUTH_INVALID_CODE')
    })

    it('of an unknown address gets the same error as any wrong code', async () => {
      const outcome = await (await tenantOf()).call('confirmSignup', {
        email: newEmail(),
        code: '123456',
      })
      expect(outcome.code).toBe('AUTH_INVALID_CODE')
    })
  })

  describe('login', () => {
    it('answers the same for a wrong password and an unknown address', async () => {
      const tenant = await tenantOf(trusting)
      const { email } = await tenant.newUser()
      const outcomes = [
        await tenant.call('login', { email, password: 'not this one' }),
        await tenant.call('login', { email: newEmail(), password }),
      ]
      expect(outcomes[0]?.code).toBe('AUTH_INVALID_CREDENTIALS')
      expect(outcomes[1]).toEqual(outcomes[0])
    })

    it.each([
      ['a user', true],
      ['nobody', false],
    ])('locks after repeated failures: %s', async (_who, exists) => {
      const tenant = await tenantOf({
        auth: { emailVerification: false, lockout: { threshold: 3 } },
      })
      const email = exists ? (await tenant.newUser()).email : newEmail()
      const from = '198.19.0.1'
      const codes: string[] = []
      for (let failure = 1; failure <= 3; failure++) {
        codes.push((await tenant.call('login', { email, password: 'wrong' }, { from })).code)
      }
      const locked = await tenant.call('login', { email, password }, { from })
      expect(locked.code).toBe('AUTH_ACCOUNT_LOCKED')
      expect(codes.slice(0, 2)).toEqual(['AUTH_INVALID_CREDENTIALS', 'AUTH_INVALID_CREDENTIALS'])
      const waitMs = Date.parse(locked.lockedUntil ?? '') - Date.now()
      expect(waitMs).toBeGreaterThan(14 * 60_000)
      expect(waitMs).toBeLessThanOrEqual(15 * 60_000 + 1_000)
      const later = await tenant.call('login', { email, password: 'wrong' }, { from })
      expect(later).toEqual(locked)
    })
  })

  describe('recovery', () => {
    it('mails a code that sets a new password and ends sessions and lockout', async () => {
      const tenant = await tenantOf({
        auth: { emailVerification: false, lockout: { threshold: 2 } },
      })
      const { email, session } = await tenant.newUser()
      const from = '198.19.0.2'
      for (let failure = 1; failure <= 2; failure++) {
        await tenant.call('login', { email, password: 'wrong' }, { from })
      }
      const locked = await tenant.call('login', { email, password }, { from })
      expect(locked.code).toBe('AUTH_ACCOUNT_LOCKED')

      await tenant.do('recoverPassword', { email })
      const code = await tenant.mailbox.nextCode(email)
      const newPassword = 'another fine one'
      const bad = await tenant.call('resetPassword', { email, code: wrong(code), newPassword })
      expect(bad.code).toBe('AUTH_INVALID_CODE')
      const weak = await tenant.call('resetPassword', { email, code, newPassword: 'short' })
      expect([weak.code, weak.fields]).toEqual(['VALIDATION_ERROR', ['newPassword']])
      const { message } = await tenant.do('resetPassword', { email, code, newPassword })
      expect(message).toEqual(expect.any(String))

      const old = await tenant.call('login', { email, password }, { from })
      expect(old.code).toBe('AUTH_INVALID_CREDENTIALS')
      await tenant.login(email, { password: newPassword, from })
      await expectOver(tenant, session)
      const again = await tenant.call('resetPassword', { email, code, newPassword })
      expect(again.code).toBe('AUTH_INVALID_CODE')
    })

    it('answers the same for an unknown address', async () => {
      const tenant = await tenantOf(trusting)
      const { email } = await tenant.newUser()
      const stranger = newEmail()
      const known = await tenant.do('recoverPassword', { email })
      const unknown = await tenant.do('recoverPassword', { email: stranger })
      expect(unknown).toEqual(known)
      await tenant.mailbox.nextCode(email)
      expect(tenant.mailbox.count(stranger)).toBe(0)
      const resent = await tenant.do('resendCode', { email: stranger })
      expect(resent).toEqual(await tenant.do('resendCode', { email }))
      const reset = { email: stranger, code: '123456', newPassword: 'another fine one' }
      expect((await tenant.call('resetPassword', reset)).code).toBe('AUTH_INVALID_CODE')
    })
  })
})
