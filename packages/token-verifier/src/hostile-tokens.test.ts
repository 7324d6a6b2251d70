import { createHmac } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  CompactSign,
  type CryptoKey,
  exportSPKI,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import {
  audience,
  expired,
  invalid,
  issuerUrl,
  newPair,
  type Pair,
  TestIssuer,
  unavailable,
} from '../test/test-issuer.ts'
import type { AccessClaims } from './claims/claims.ts'
import { createVerifierPool } from './verifier-pool.ts'

let pair: Pair
let issuer: TestIssuer

beforeAll(async () => {
  pair = await newPair('first')
})
beforeEach(() => {
  issuer = new TestIssuer(pair)
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = (change: object = {}) => ({ alg: 'RS256', typ: 'at+jwt', kid: 'first', ...change })

/** A token signed with the published key as an HMAC secret. */
async function confused(alg: string, secret: (pem: string) => string): Promise<string> {
  const key = await importJWK(pair.jwk, 'RS256', { extractable: true })
  const pem = await exportSPKI(key as CryptoKey)
  const signed = `${encode(header({ alg }))}.${encode(issuer.claims())}`
  return `${signed}.${createHmac('sha256', secret(pem)).update(signed).digest('base64url')}`
}

const refuse = async (token: string) => {
  await expect(issuer.verifier().verify(token)).rejects.toMatchObject(invalid)
}

describe('a token with a foreign algorithm is refused', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', ''])('%j', async (alg) => {
    const claims = encode(issuer.claims())
    for (const signature of ['', 'YQ'])
      await refuse(`${encode(header({ alg }))}.${claims}.${signature}`)
    await refuse(new UnsecuredJWT(issuer.claims() as never).encode())
    expect(issuer.asked).toBe(0)
  })

  it.each(['HS256', 'RS256', 'hs256'])('%s with the public key as its secret', async (alg) => {
    await refuse(await confused(alg, (pem) => pem))
    await refuse(await confused(alg, (pem) => pem.trim()))
    await refuse(await confused(alg, () => pair.jwk.n ?? ''))
  })

  it.each(['PS256', 'RS512', 'ES256', 'EdDSA'])('%s with the key of a stranger', async (alg) => {
    const { privateKey } = await generateKeyPair(alg)
    const token = await new SignJWT(issuer.claims() as never)
      .setProtectedHeader(header({ alg }))
      .sign(privateKey)
    await refuse(token)
  })

  it.each([
    ['a list', { alg: ['RS256'] }],
    ['an object', { alg: { toString: 'RS256' } }],
    ['a number', { alg: 1 }],
    ['nothing', { alg: undefined }],
  ])('%s', async (_, change) => {
    await refuse(`${encode(header(change))}.${encode(issuer.claims())}.YQ`)
  })
})

describe('a key id', () => {
  it.each([
    ['empty', ''],
    ['very long', 'k'.repeat(257)],
    ['a list', ['first']],
    ['a number', 1],
    ['null', null],
  ])('that is %s is refused without a request', async (_, kid) => {
    await refuse(`${encode(header({ kid }))}.${encode(issuer.claims())}.YQ`)
    expect(issuer.asked).toBe(0)
  })

  it.each([
    '../../../../dev/null',
    'https://evil.example/jwks.json',
    "first' or '1'='1",
    'first\u0000',
    'ｆirst',
    'first ',
    'FIRST',
    '\u202efirst',
    '__proto__',
    'constructor',
    '🔑'.repeat(64),
  ])('%j is looked up only in the configured key set', async (kid) => {
    const stranger = await newPair('first')
    const verifier = issuer.verifier()
    const token = await issuer.token({}, stranger, { kid })
    await expect(verifier.verify(token)).rejects.toMatchObject(invalid)
    await expect(verifier.verify(token)).rejects.toMatchObject(invalid)
    expect(issuer.asked).toBe(1)
  })
})

describe('a token', () => {
  it('is refused before parsing if it is too long', async () => {
    const deep = `${'['.repeat(8_000)}${']'.repeat(8_000)}`
    const tokens = [
      `${encode(header())}.${'A'.repeat(50_000_000)}.YQ`,
      '.'.repeat(50_000_000),
      `${Buffer.from(deep).toString('base64url')}.YQ.YQ`,
    ]
    for (const token of tokens) await refuse(token)
    expect(issuer.asked).toBe(0)
  })

  it('has exactly one valid spelling', async () => {
    const token = await issuer.token()
    const verifier = issuer.verifier()
    await verifier.verify(token)
    const [head = '', payload = '', signature = ''] = token.split('.')
    const last = signature.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const unusedBits = alphabet[alphabet.indexOf(last) ^ 1]
    const others = [
      `${head}.${payload}.${signature.slice(0, -1)}${unusedBits}`,
      `${token}=`,
      `${token}\n`,
      ` ${token}`,
      `${head}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}==`,
      `${head}.${payload}.${signature}.`,
      `.${token}`,
    ]
    for (const other of others) await expect(verifier.verify(other)).rejects.toMatchObject(invalid)
  })

  it('is verified again if it was changed', async () => {
    const verifier = issuer.verifier()
    const [head = '', , signature = ''] = (await issuer.token()).split('.')
    await verifier.verify(await issuer.token())
    const payload = encode(issuer.claims({ roles: ['admin'] }))
    const verifying = verifier.verify(`${head}.${payload}.${signature}`)
    await expect(verifying).rejects.toMatchObject(invalid)
  })

  it.each<[string, string]>([
    ['no object', '"claims"'],
    ['null', 'null'],
    ['a list', '[]'],
    ['no JSON', '{'],
    ['no text', Buffer.from([0xff, 0xfe]).toString('latin1')],
  ])('is refused if its payload is %s', async (_, payload) => {
    const token = await new CompactSign(Buffer.from(payload, 'latin1'))
      .setProtectedHeader(header())
      .sign(pair.privateKey)
    await refuse(token)
  })
})

describe('time claims', () => {
  it('end exactly at `exp`, for cached and new tokens', async () => {
    const now = Math.floor(issuer.nowMs / 1_000)
    issuer.nowMs = now * 1_000
    const verifier = issuer.verifier()
    const token = await issuer.token({ exp: now + 1 })
    issuer.nowMs += 999
    await verifier.verify(token)
    issuer.nowMs += 1
    await expect(verifier.verify(token)).rejects.toMatchObject(expired)
    await expect(issuer.verifier().verify(token)).rejects.toMatchObject(expired)
  })

  it('allow `nbf` and `iat` up to 10 s in the future', async () => {
    const now = Math.floor(issuer.nowMs / 1_000)
    issuer.nowMs = now * 1_000
    for (const name of ['nbf', 'iat']) {
      await issuer.verifier().verify(await issuer.token({ [name]: now + 10 }))
      await refuse(await issuer.token({ [name]: now + 11 }))
    }
  })

  it.each(['9999999999', null, true, [9_999_999_999], {}])(
    'must be numbers, not %j',
    async (time) => {
      for (const name of ['exp', 'nbf', 'iat']) await refuse(await issuer.token({ [name]: time }))
    },
  )

  it('are checked again after a slow revocation check', async () => {
    const verifier = issuer.verifier({
      isRevoked: async () => {
        issuer.nowMs += 901_000
        return false
      },
    })
    await expect(verifier.verify(await issuer.token())).rejects.toMatchObject(expired)
  })
})

describe('the audience of a token', () => {
  it.each([
    [[audience]],
    [[audience, 'other/master']],
    [`${audience}/c`],
    [`${audience} `],
    ['shop'],
    ['shop/'],
    ['SHOP/master'],
    [`${audience}\u0000`],
    [''],
    [null],
  ])('is not %j', async (aud) => {
    await refuse(await issuer.token({ aud }))
  })

  it.each([
    [`${issuerUrl}/`],
    ['https://api.example/auth/shop'],
    ['http://api.example/auth/shop/master'],
    [[issuerUrl]],
  ])('nor by %j', async (iss) => {
    await refuse(await issuer.token({ iss }))
  })

  it('is distinct for names with the same concatenation, with cached claims too', async () => {
    const options = { jwksUrl: 'https://x.example', isRevoked: () => false, fetch: issuer.fetch }
    const pool = createVerifierPool({
      optionsOf: ({ projectId, environment }) => ({
        ...options,
        issuer: projectId === 'elsewhere' ? 'https://other.example' : issuerUrl,
        // The same text for "a" and "b/c" as for "a/b" and "c". Real names cannot contain "/".
        audience: projectId === 'elsewhere' ? 'a/b/c' : `${projectId}/${environment}`,
      }),
    })
    const token = await issuer.token({ aud: 'a/b/c' })
    await pool.of({ projectId: 'a', environment: 'b/c' }).verify(token)
    for (const [projectId, environment] of [
      ['a', 'b'],
      ['a/b', 'c/'],
      ['elsewhere', 'c'],
    ] as const) {
      const verifying = pool.of({ projectId, environment }).verify(token)
      await expect(verifying).rejects.toMatchObject(invalid)
    }
  })
})

describe('revocation', () => {
  it('can use session, generation or token id', async () => {
    const seen: AccessClaims[] = []
    const revoked = new Set(['session-2', 'jti-3'])
    const verifier = issuer.verifier({
      isRevoked: (claims) => {
        seen.push(claims)
        return revoked.has(claims.sid) || revoked.has(claims.jti)
      },
    })
    await verifier.verify(await issuer.token({ sid: 'session-1', jti: 'jti-1' }))
    for (const change of [{ sid: 'session-2' }, { jti: 'jti-3' }]) {
      const token = await issuer.token(change)
      await expect(verifier.verify(token)).rejects.toMatchObject(invalid)
    }
    expect(seen).toHaveLength(3)
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['null', async () => null],
    ['a number', () => 0],
    ['text', async () => ''],
    ['a rejection with nothing', () => Promise.reject()],
    ['no answer at all', () => new Promise(() => {})],
  ])('answered with %s admits no token', async (_, isRevoked) => {
    const verifier = issuer.verifier({ isRevoked: isRevoked as never, timeoutMs: 20 })
    await expect(verifier.verify(await issuer.token())).rejects.toMatchObject(unavailable)
  })

  it('and later requests receive claims that no request could change', async () => {
    const verifier = issuer.verifier()
    const token = await issuer.token()
    const claims = await verifier.verify(token)
    expect(() => (claims.roles as string[]).push('admin')).toThrow(TypeError)
    expect(() => Object.assign(claims, { sub: 'admin' })).toThrow(TypeError)
    expect(await verifier.verify(token)).toMatchObject({ sub: 'user', roles: ['reader'] })
  })
})
