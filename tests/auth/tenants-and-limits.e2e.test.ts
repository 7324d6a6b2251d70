import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type AuthTenantOptions,
  newEmail,
  password,
  trusting,
} from '../support/auth/auth-tenant.ts'
import { type OperationName, transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

let world: SharedAuthWorld

beforeAll(async () => {
  world = await openSharedAuthWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

describe.each(transports)('over %s', (_name, transport) => {
  const tenantOf = (options?: AuthTenantOptions) => world.tenant(transport, options)

  describe('a tenant', () => {
    const calls: [OperationName | 'jwks', object][] = [
      ['signup', { email: 'a@example.com', password }],
      ['confirmSignup', { email: 'a@example.com', code: '123456' }],
      ['resendCode', { email: 'a@example.com' }],
      ['login', { email: 'a@example.com', password }],
      ['recoverPassword', { email: 'a@example.com' }],
      ['resetPassword', { email: 'a@example.com', newPassword: password, code: '123456' }],
      ['refreshToken', { refreshToken: 'x' }],
      ['logout', {}],
      ['jwks', {}],
    ]

    it.each(calls)('has to be there: %s', async (operation, args) => {
      const tenant = await tenantOf()
      const codeWith = async (headers: Record<string, string | undefined>) => {
        const outcome =
          operation === 'jwks'
            ? await tenant.jwks({ headers })
            : await tenant.call(operation, args as Record<string, unknown>, { headers })
        return outcome.fields.length === 0 ? outcome.code : `${outcome.code} ${outcome.fields}`
      }
      const unnamed = 'VALIDATION_ERROR X-Project-Id'
      expect(await codeWith({ 'x-project-id': undefined })).toBe(unnamed)
      expect(await codeWith({ 'x-project-id': '' })).toBe(unnamed)
      expect(await codeWith({ 'x-project-id': 'nobody' })).toBe('AUTH_NOT_CONFIGURED')
      expect(await codeWith({ 'x-project-id': 'a b/../c' })).toBe('AUTH_NOT_CONFIGURED')
      expect(await codeWith({ environment: 'dev' })).toBe('AUTH_NOT_CONFIGURED')
      expect(await codeWith({ environment: undefined })).not.toBe('AUTH_NOT_CONFIGURED')
      await tenant.configure({ enabled: false })
      expect(await codeWith({})).toBe('AUTH_NOT_CONFIGURED')
    })
  })

  describe('a limit', () => {
    const limited: [string, OperationName, number, (n: number) => object][] = [
      ['signups of a client', 'signup', 10, (n) => ({ email: `${n}-${newEmail()}`, password })],
      ['logins of a client', 'login', 20, (n) => ({ email: `${n}@example.com`, password })],
      ['recoveries of an address', 'recoverPassword', 5, () => ({ email: 'one@example.com' })],
      ['codes sent again to an address', 'resendCode', 5, () => ({ email: 'one@example.com' })],
    ]

    it.each(limited)('holds %s', async (_what, operation, perMinute, argsOf) => {
      const tenant = await tenantOf(trusting)
      // Limits per e-mail address ignore the client, so each call uses another client.
      const from = operation === 'signup' || operation === 'login' ? '198.19.1.1' : undefined
      const codes = new Map<string, number>()
      let last = { code: '', retryAfter: 0 }
      for (let n = 1; n <= perMinute + 1; n++) {
        const args = argsOf(n) as Record<string, unknown>
        const { code, retryAfter = 0 } = await tenant.call(operation, args, { from })
        last = { code, retryAfter }
        codes.set(code, (codes.get(code) ?? 0) + 1)
      }
      expect([last.code, codes.get('RATE_LIMIT_EXCEEDED')]).toEqual(['RATE_LIMIT_EXCEEDED', 1])
      expect(last.retryAfter).toBeGreaterThan(0)
      expect(last.retryAfter).toBeLessThanOrEqual(60)
      expect(Number.isInteger(last.retryAfter)).toBe(true)
      const other = await tenantOf(trusting)
      const elsewhere = await other.call(operation, argsOf(0) as Record<string, unknown>, { from })
      expect(elsewhere.code).not.toBe('RATE_LIMIT_EXCEEDED')
    })
  })
})
