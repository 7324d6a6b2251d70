import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { type AuthClient, openAuthClient, outcome } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

const maxFailedTokensPerMinute = 5

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService({ maxFailedTokensPerMinute })
})
beforeEach(async () => {
  client = await openAuthClient(service.api, { settings: { encryptTokens: true } })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

/** Anyone can make such a token: it is encrypted with the issuer's published key. */
async function openForge(): Promise<() => Promise<string>> {
  const jwk = (await client.publishedKeys()).find(({ use }) => use === 'enc') as JWK
  const key = await importJWK(jwk, 'RSA-OAEP-256')
  const header = { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: String(jwk.kid) }
  const inner = Buffer.from('eyJhbGciOiJub25lIn0.e30.')
  return () => new CompactEncrypt(inner).setProtectedHeader(header).encrypt(key)
}

const logout = (token: string, from: string) =>
  client.send('POST logout', { token, headers: { 'x-forwarded-for': from } })

/** Counts encrypted tokens by result. */
async function decryptions(): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.internal}/metrics`)).text()
  const lines = text.matchAll(
    /^surehook_auth_token_decryptions_total\{.*outcome="(\w+)".*\} (\d+)$/gm,
  )
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]))
}

const limited = [429, 'RATE_LIMIT_EXCEEDED']
const invalid = [401, 'AUTH_TOKEN_INVALID']
const clientAddress = (n: number) => `203.0.113.${n}`

describe('forged encrypted tokens', () => {
  it('of one client are decrypted up to a limit, without affecting others', async () => {
    const forge = await openForge()
    const forger = clientAddress(1)
    const [known, unknown, elsewhere] = [
      await client.newUser(),
      await client.newUser(),
      await client.newUser(),
    ]
    const before = await decryptions()
    for (let n = 0; n < maxFailedTokensPerMinute; n++) {
      expect(outcome(await logout(await forge(), forger))).toEqual(invalid)
    }
    expect(await client.isActive(known.accessToken)).toBe(true)
    for (let n = 0; n < 20; n++) {
      const answer = await logout(await forge(), forger)
      expect(outcome(answer)).toEqual(limited)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    expect(outcome(await logout(unknown.accessToken, forger))).toEqual(limited)
    expect(outcome(await logout(known.accessToken, forger))).toEqual([200])
    expect(outcome(await logout(elsewhere.accessToken, clientAddress(2)))).toEqual([200])
    const after = await decryptions()
    expect((after['bad'] ?? 0) - (before['bad'] ?? 0)).toBe(maxFailedTokensPerMinute)
    expect((after['limited'] ?? 0) - (before['limited'] ?? 0)).toBe(21)
  })

  it('sent at once are decrypted hardly more often than one after another', async () => {
    const forge = await openForge()
    const tokens = await Promise.all(Array.from({ length: 60 }, forge))
    const answers = await Promise.all(tokens.map((token) => logout(token, clientAddress(3))))
    const refused = answers.filter(({ status }) => status === 401)
    // Two tokens are decrypted at a time, so one more may be in progress when the limit is reached.
    expect(refused.length).toBeGreaterThanOrEqual(maxFailedTokensPerMinute)
    expect(refused.length).toBeLessThanOrEqual(maxFailedTokensPerMinute + 1)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - refused.length)
  })

  it('of an IPv6 /48 count as those of one client', async () => {
    const forge = await openForge()
    for (let n = 0; n < maxFailedTokensPerMinute; n++) {
      expect(outcome(await logout(await forge(), `2001:db8:1:${n}::7`))).toEqual(invalid)
    }
    expect(outcome(await logout(await forge(), '2001:db8:1:99::7'))).toEqual(limited)
    expect(outcome(await logout(await forge(), '2001:db8:2::7'))).toEqual(invalid)
  })

  it('count through GraphQL, each alias alike', async () => {
    const forge = await openForge()
    const send = async () =>
      client.send('POST graphql', {
        token: await forge(),
        body: { query: 'mutation { a: logout { message } b: logout { message } }' },
        headers: { 'x-forwarded-for': clientAddress(4) },
      })
    type Failure = { extensions: { code: string; retryAfter?: number } }
    const codes = async () =>
      ((await send()).body['errors'] as Failure[]).map(({ extensions }) => extensions.code)
    const seen = [...(await codes()), ...(await codes()), ...(await codes()), ...(await codes())]
    expect(seen).toEqual([
      ...Array<string>(maxFailedTokensPerMinute).fill('AUTH_TOKEN_INVALID'),
      ...Array<string>(8 - maxFailedTokensPerMinute).fill('RATE_LIMIT_EXCEEDED'),
    ])
  })

  it('of another issuer cost nothing and do not count', async () => {
    const forge = await openForge()
    const forger = clientAddress(5)
    const parts = (await forge()).split('.')
    const header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString())
    const nobody = Buffer.from(JSON.stringify({ ...header, kid: 'nobody' })).toString('base64url')
    for (let n = 0; n < 2 * maxFailedTokensPerMinute; n++) {
      expect(outcome(await logout([nobody, ...parts.slice(1)].join('.'), forger))).toEqual(invalid)
    }
    expect(outcome(await logout((await client.newUser()).accessToken, forger))).toEqual([200])
  })
})
