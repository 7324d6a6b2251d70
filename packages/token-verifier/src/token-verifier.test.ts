import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { CompactEncrypt, type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { AccessClaims } from './claims/claims.ts'
import { createIntrospection } from './introspection.ts'
import { createTokenVerifier, type TokenVerifierOptions } from './token-verifier.ts'
import { createVerifierPool } from './verifier-pool.ts'

const issuer = 'https://api.example/auth/shop/master'
const audience = 'shop/master'

/** A fake issuer behind `fetch` whose state a test can change. */
type Issuer = { keys: object[]; status: number; asked: number; fetch: typeof fetch }

let first: CryptoKey
let second: CryptoKey
let firstJwk: object
let secondJwk: object
let server: Issuer
let nowMs: number

beforeAll(async () => {
  const pairs = [await generateKeyPair('RS256'), await generateKeyPair('RS256')] as const
  first = pairs[0].privateKey
  second = pairs[1].privateKey
  const jwkOf = async (key: CryptoKey, kid: string) => ({
    ...(await exportJWK(key)),
    kid,
    use: 'sig',
    alg: 'RS256',
  })
  firstJwk = await jwkOf(pairs[0].publicKey, 'first')
  secondJwk = await jwkOf(pairs[1].publicKey, 'second')
})
beforeEach(() => {
  nowMs = Date.now()
  server = {
    keys: [firstJwk],
    status: 200,
    asked: 0,
    fetch: async () => {
      server.asked += 1
      return Response.json({ keys: server.keys }, { status: server.status })
    },
  }
})

const verifierWith = (options: Partial<TokenVerifierOptions> = {}) =>
  createTokenVerifier({
    jwksUrl: 'https://api.example/auth/.well-known/jwks.json',
    issuer,
    audience,
    isRevoked: () => false,
    fetch: server.fetch,
    now: () => nowMs,
    cooldownMs: 10_000,
    ...options,
  })

function claims(change: Partial<Record<keyof AccessClaims, unknown>> = {}) {
  const now = Math.floor(nowMs / 1_000)
  const always = { sub: 'user', sid: 'session', gen: 1, jti: 'jti', roles: ['reader'] }
  return { iss: issuer, aud: audience, ...always, iat: now, nbf: now, exp: now + 300, ...change }
}

const sign = (payload: object, key = first, header: object = {}) =>
  new SignJWT(payload as never)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'first', ...header })
    .sign(key)

const bad = { code: 'AUTH_TOKEN_INVALID' }
const away = { name: 'VerifierUnavailableError' }

describe('a verifier', () => {
  it('returns the claims of a valid token, and requests the keys once', async () => {
    const verifier = verifierWith()
    const tokens = await Promise.all([1, 2, 3].map((gen) => sign(claims({ gen }))))
    const verified = await Promise.all(tokens.map((token) => verifier.verify(token)))
    expect(verified).toEqual([1, 2, 3].map((gen) => claims({ gen })))
    expect(server.asked).toBe(1)
  })

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'shop/staging' }],
    ['not valid yet', { nbf: 9_999_999_999 }],
    ['no generation', { gen: undefined }],
    ['no roles', { roles: undefined }],
    ['no expiry', { exp: undefined }],
  ])('refuses claims with %s', async (_, change) => {
    await expect(verifierWith().verify(await sign(claims(change)))).rejects.toMatchObject(bad)
  })

  it.each([
    ['jku', { jku: 'https://evil.example' }],
    ['x5u', { x5u: 'https://evil.example' }],
    ['jwk', { jwk: {} }],
    ['x5c', { x5c: [] }],
    ['zip', { zip: 'DEF' }],
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['no kid', { kid: undefined }],
  ])('refuses a header with %s', async (_, header) => {
    const token = await sign(claims(), first, header)
    await expect(verifierWith().verify(token)).rejects.toMatchObject(bad)
  })

  it('refuses text that is not a token, without a request', async () => {
    for (const token of ['', 'x', 'a.b', 'a.b.c', '....', `${'x'.repeat(20_000)}.a.b`]) {
      await expect(verifierWith().verify(token)).rejects.toMatchObject(bad)
    }
    expect(server.asked).toBe(0)
  })

  it('refuses an expired token, cached or not', async () => {
    const verifier = verifierWith()
    const token = await sign(claims())
    await verifier.verify(token)
    nowMs = (claims().exp as number) * 1_000
    const expired = { code: 'AUTH_TOKEN_EXPIRED' }
    await expect(verifier.verify(token)).rejects.toMatchObject(expired)
    await expect(verifierWith().verify(token)).rejects.toMatchObject(expired)
    const alsoWrong = await sign(claims({ aud: 'other', exp: 1 }))
    await expect(verifier.verify(alsoWrong)).rejects.toMatchObject(bad)
  })

  it('checks revocation on every request', async () => {
    let revoked = false
    const verifier = verifierWith({ isRevoked: async () => revoked })
    const token = await sign(claims())
    await verifier.verify(token)
    revoked = true
    await expect(verifier.verify(token)).rejects.toMatchObject(bad)
    revoked = false
    await verifier.verify(token)
  })

  it('rejects as unavailable when revocation cannot be checked', async () => {
    const isRevoked = () => Promise.reject(new Error('Kafka is away'))
    const verifying = verifierWith({ isRevoked }).verify(await sign(claims()))
    await expect(verifying).rejects.toMatchObject(away)
  })
})

describe('keys', () => {
  it('are requested again for an unknown key, at most once per cooldown', async () => {
    const verifier = verifierWith()
    await verifier.verify(await sign(claims()))
    const strange = await sign(claims(), second, { kid: 'second' })
    for (let times = 0; times < 5; times++) {
      await expect(verifier.verify(strange)).rejects.toMatchObject(bad)
    }
    expect(server.asked).toBe(1)
    server.keys = [firstJwk, secondJwk]
    nowMs += 10_000
    await Promise.all([verifier.verify(strange), verifier.verify(strange)])
    expect(server.asked).toBe(2)
  })

  it('are invalid once a new key set without them is read', async () => {
    const verifier = verifierWith({ maxAgeMs: 60_000 })
    await verifier.verify(await sign(claims()))
    server.keys = [secondJwk]
    nowMs += 60_000
    await expect(verifier.verify(await sign(claims({ jti: 'new' })))).rejects.toMatchObject(bad)
  })

  it('stay valid for a while when the issuer is unreachable', async () => {
    const verifier = verifierWith({ maxAgeMs: 60_000, maxStaleMs: 120_000 })
    await verifier.verify(await sign(claims()))
    server.status = 500
    nowMs += 60_000
    await verifier.verify(await sign(claims({ jti: 'new' })))
    nowMs += 60_000
    await expect(verifier.verify(await sign(claims()))).rejects.toMatchObject(away)
  })

  it('are reported as unavailable when they cannot be read, and not requested all the time', async () => {
    server.status = 503
    const verifier = verifierWith()
    for (let times = 0; times < 5; times++) {
      await expect(verifier.verify(await sign(claims()))).rejects.toMatchObject(away)
    }
    expect(server.asked).toBe(1)
    server.status = 200
    nowMs += 10_000
    await verifier.verify(await sign(claims()))
  })

  it('do not exist in an environment without authentication', async () => {
    server.status = 404
    await expect(verifierWith().verify(await sign(claims()))).rejects.toMatchObject(bad)
  })

  it('for encryption or without `use` verify no token', async () => {
    server.keys = [
      { ...firstJwk, use: 'enc' },
      { ...firstJwk, use: undefined },
    ]
    await expect(verifierWith().verify(await sign(claims()))).rejects.toMatchObject(bad)
  })
})

describe('an encrypted token', () => {
  const encrypt = async () =>
    new CompactEncrypt(Buffer.from('for the issuer alone'))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'encryption' })
      .encrypt((await generateKeyPair('RSA-OAEP-256')).publicKey)

  it('is introspected once, and checked for revocation and expiry each time', async () => {
    let asked = 0
    let revoked = false
    const introspect = async () => {
      asked += 1
      return { active: true, ...claims() }
    }
    const verifier = verifierWith({ introspect, isRevoked: () => revoked })
    const token = await encrypt()
    for (let times = 0; times < 3; times++) expect(await verifier.verify(token)).toEqual(claims())
    expect(asked).toBe(1)
    revoked = true
    await expect(verifier.verify(token)).rejects.toMatchObject(bad)
    revoked = false
    nowMs += 301_000
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'AUTH_TOKEN_EXPIRED' })
  })

  it('is refused for another audience, and without introspection', async () => {
    const introspect = async () => ({ active: true, ...claims({ aud: 'other/master' }) })
    const token = await encrypt()
    await expect(verifierWith({ introspect }).verify(token)).rejects.toMatchObject(bad)
    await expect(verifierWith().verify(token)).rejects.toMatchObject(bad)
  })

  it.each([
    [200, { active: false }, bad],
    [200, { active: false, reason: 'expired' }, { code: 'AUTH_TOKEN_EXPIRED' }],
    [404, { error: 'AUTH_NOT_CONFIGURED' }, bad],
    [401, {}, away],
    [503, {}, away],
  ])('answered with %j %j is refused as %j', async (status, body, refusal) => {
    const sent: (RequestInit | undefined)[] = []
    const introspect = createIntrospection({
      url: 'https://api.example/auth/introspect',
      serviceToken: 'of services',
      headers: { 'X-Project-Id': 'shop' },
      fetch: async (_url, init) => {
        sent.push(init)
        return Response.json(body, { status })
      },
    })
    const token = await encrypt()
    await expect(verifierWith({ introspect }).verify(token)).rejects.toMatchObject(refusal)
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer of services',
      'X-Project-Id': 'shop',
    })
    const form = sent[0]?.body as URLSearchParams
    expect(form.get('token')).toBe(token)
  })
})

describe('a pool of verifiers', () => {
  it('keeps the most recently used, and never shares tokens between tenants', async () => {
    const made: string[] = []
    const pool = createVerifierPool({
      maxTenants: 2,
      optionsOf: ({ projectId, environment }) => {
        made.push(projectId)
        return {
          jwksUrl: 'https://api.example/jwks',
          issuer: `https://api.example/auth/${projectId}/${environment}`,
          audience: `${projectId}/${environment}`,
          isRevoked: () => false,
          fetch: server.fetch,
          now: () => nowMs,
        }
      },
    })
    const of = (projectId: string) => pool.of({ projectId, environment: 'master' })
    const token = await sign(claims())
    await of('shop').verify(token)
    await expect(of('other').verify(token)).rejects.toMatchObject(bad)
    await of('shop').verify(token)
    of('third')
    of('shop')
    of('other')
    expect(made).toEqual(['shop', 'other', 'third', 'other'])
  })
})
