import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type AuthTenantOptions,
  expectOver,
  password,
  trusting,
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

describe.each(transports)('over %s', (_name, transport) => {
  const tenantOf = (options?: AuthTenantOptions) => world.tenant(transport, options)

  describe('a session', () => {
    it('continues with a new pair for each refresh token', async () => {
      const tenant = await tenantOf(trusting)
      const { session } = await tenant.newUser()
      const { refreshToken } = session
      const renewed = await tenant.do('refreshToken', { refreshToken })
      expect(Object.keys(renewed).toSorted()).toEqual(['accessToken', 'refreshToken'])
      expect(renewed.accessToken).not.toBe(session.accessToken)
      expect(renewed.refreshToken).not.toBe(refreshToken)
      await tenant.do('refreshToken', { refreshToken: renewed.refreshToken })
    })

    it('ends when a refresh token comes a second time', async () => {
      const tenant = await tenantOf(trusting)
      const { session } = await tenant.newUser()
      const { refreshToken } = session
      const renewed = await tenant.do('refreshToken', { refreshToken })
      const reused = await tenant.call('refreshToken', { refreshToken })
      expect(reused.code).toBe('AUTH_TOKEN_INVALID')
      await expectOver(tenant, renewed)
      await expectOver(tenant, session)
    })

    it('ends with logout, and only that one', async () => {
      const tenant = await tenantOf(trusting)
      const { email, session } = await tenant.newUser()
      const other = await tenant.login(email)
      const { accessToken } = session
      const { message } = await tenant.do('logout', {}, { accessToken })
      expect(message).toEqual(expect.any(String))
      await expectOver(tenant, session)
      await tenant.do('refreshToken', { refreshToken: other.refreshToken })
      await tenant.do('logout', {}, { accessToken: other.accessToken })
    })

    it.each([
      ['none', () => undefined],
      ['not one', () => 'x'],
      ['cut', (token: string) => token.slice(0, -2)],
      ['of three empty parts', () => '..'],
      ['with other claims', (token: string) => withClaims(token, { sub: 'x' })],
      ['unsigned', (token: string) => withHeader(token, { alg: 'none' })],
    ])('is not opened by an access token that is %s', async (_what, change) => {
      const tenant = await tenantOf(trusting)
      const { session } = await tenant.newUser()
      const accessToken = change(session.accessToken)
      const outcome = await tenant.call('logout', {}, { accessToken })
      expect(outcome.code).toBe('AUTH_TOKEN_INVALID')
      await tenant.do('logout', {}, { accessToken: session.accessToken })
    })

    it('reports that an access token has expired', async () => {
      const tenant = await tenantOf({ auth: { emailVerification: false, accessTokenTtl: 1 } })
      const { session } = await tenant.newUser()
      await world.passed(1_100)
      const { accessToken, refreshToken } = session
      const outcome = await tenant.call('logout', {}, { accessToken })
      expect(outcome.code).toBe('AUTH_TOKEN_EXPIRED')
      await tenant.do('refreshToken', { refreshToken })
    })

    it.each([
      ['one that is short', 'x'],
      ['one that is made up', 'A'.repeat(43)],
      ['one that is long', 'A'.repeat(2_000)],
    ])('is not renewed by %s', async (_what, refreshToken) => {
      const outcome = await (await tenantOf()).call('refreshToken', { refreshToken })
      expect(outcome.code).toBe('AUTH_TOKEN_INVALID')
    })

    it('of one environment is invalid in another', async () => {
      const tenant = await tenantOf(trusting)
      const { projectId } = tenant
      const dev = await tenantOf({ projectId, environment: 'dev', ...trusting })
      const { email, session } = await tenant.newUser()
      const { accessToken, refreshToken } = session
      const outcomes = [
        await dev.call('logout', {}, { accessToken }),
        await dev.call('refreshToken', { refreshToken }),
        await dev.call('login', { email, password }),
      ]
      expect(outcomes.map(({ code }) => code)).toEqual([
        'AUTH_TOKEN_INVALID',
        'AUTH_TOKEN_INVALID',
        'AUTH_INVALID_CREDENTIALS',
      ])
      await tenant.do('refreshToken', { refreshToken })
    })
  })

  describe('the keys', () => {
    it('are one, for signatures', async () => {
      const { code, result } = await (await tenantOf()).jwks()
      expect(code).toBe('ok')
      expect(result.keys).toMatchObject([{ kty: 'RSA', use: 'sig', alg: 'RS256' }])
      expect(Object.keys(result.keys[0] ?? {}).toSorted()).toEqual([
        'alg',
        'e',
        'kid',
        'kty',
        'n',
        'use',
      ])
    })

    it('are two when tokens are encrypted; tokens of both forms are accepted', async () => {
      const tenant = await tenantOf(trusting)
      const { email, session: signed } = await tenant.newUser()
      await tenant.configure({ encryptTokens: true })
      const { result } = await tenant.jwks()
      expect(result.keys.map(({ use, alg }) => `${use} ${alg}`).toSorted()).toEqual([
        'enc RSA-OAEP-256',
        'sig RS256',
      ])
      const encrypted = await tenant.login(email)
      expect(encrypted.accessToken.split('.')).toHaveLength(5)
      await tenant.do('logout', {}, { accessToken: signed.accessToken })
      await tenant.configure({ encryptTokens: false })
      await tenant.do('logout', {}, { accessToken: encrypted.accessToken })
      await expectOver(tenant, encrypted)
    })
  })
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString()) as object

function withClaims(token: string, claims: object): string {
  const [header, payload, signature] = token.split('.')
  return [header, encode({ ...decode(payload), ...claims }), signature].join('.')
}

function withHeader(token: string, fields: object): string {
  const [header, payload] = token.split('.')
  return [encode({ ...decode(header), ...fields }), payload, ''].join('.')
}
