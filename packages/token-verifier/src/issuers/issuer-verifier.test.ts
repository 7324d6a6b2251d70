import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it, test } from '@jest/globals'
import { exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { FailedTokens } from '../failed-tokens.ts'
import {
  createIssuerVerifier,
  IssuerMemory,
  type IssuerVerifierOptions,
  unverifiedIssuer,
} from './issuer-verifier.ts'

const issuer = 'https://login.example/'
const audience = ['https://api.example', 'other']
const client = '203.0.113.7'
const algorithms = ['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

type Pair = Awaited<ReturnType<typeof generateKeyPair>>
const newPair = (alg: string): Promise<Pair> => generateKeyPair(alg, { extractable: true })
const rsa = newPair('RS256')
const jwkOf = async ({ publicKey }: Pair, more: Partial<JWK> = {}) => ({
  ...(await exportJWK(publicKey)),
  ...{ kid: 'one', use: 'sig', ...more },
})

let now: number
let keys: unknown[]
let asked: number
/** The status of the key set. */
let status: number

const open = (more: Partial<IssuerVerifierOptions> = {}) =>
  createIssuerVerifier({
    ...{ jwksUrl: 'https://login.example/keys', issuer, audience, now: () => now },
    async fetch() {
      asked += 1
      return Response.json({ keys }, { status })
    },
    ...more,
  })

const claims = (more: object = {}) => {
  const iat = Math.floor(now / 1_000)
  return { iss: issuer, aud: audience[0], sub: 'auth0|ada', iat, exp: iat + 300, ...more }
}

async function sign(more: object = {}, header: object = {}, pair?: Pair): Promise<string> {
  const { privateKey } = pair ?? (await rsa)
  // Without members that are undefined.
  return new SignJWT(JSON.parse(JSON.stringify(claims(more))) as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .sign(privateKey)
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const invalid = (why: string) => ({
  code: 'AUTH_TOKEN_INVALID',
  message: expect.stringMatching(why),
})

beforeEach(async () => {
  now = 1_800_000_000_000
  keys = [await jwkOf(await rsa, { alg: 'RS256' })]
  asked = 0
  status = 200
})

describe('a token of the issuer', () => {
  test.each(algorithms)('is valid with %s', async (alg) => {
    const pair = await newPair(alg)
    for (const named of [{ alg }, {}]) {
      keys = [await jwkOf(pair, named)]
      expect(await open().verify(await sign({}, { alg }, pair))).toMatchObject({
        ...{ sub: 'auth0|ada', roles: [], email: null },
      })
    }
  })

  test.each(['JWT', 'at+jwt', 'application/at+JWT', undefined])('is valid as %s', async (typ) => {
    expect(await open().verify(await sign({}, { typ }))).toMatchObject({ sub: 'auth0|ada' })
  })

  test.each(['https://api.example', ['x', 'other']])('is valid for %j', async (aud) => {
    expect(await open().verify(await sign({ aud }))).toMatchObject({ sub: 'auth0|ada' })
  })

  test.each(['https://login.example/', 'https://login.example'])('is valid of %s', async (iss) => {
    expect(await open().verify(await sign({ iss }))).toMatchObject({ iss })
  })

  test.each<[string, object, object, string]>([
    ['another audience', { aud: 'client-id' }, {}, 'audience'],
    ['no audience', { aud: undefined }, {}, 'audience'],
    ['another issuer', { iss: 'https://login.example/x' }, {}, 'issuer'],
    ['no expiry', { exp: undefined }, {}, 'no expiry'],
    ['a text as expiry', { exp: '9999999999' }, {}, 'no expiry'],
    ['a later start', { nbf: 1_800_000_011 }, {}, 'not valid yet'],
    ['a later issue', { iat: 1_800_000_011 }, {}, 'not valid yet'],
    ['the hash of an access token', { at_hash: 'x' }, {}, 'type'],
    ['the type of an ID token', { typ: 'ID' }, {}, 'type'],
    ['the type of a logout token', {}, { typ: 'logout+jwt' }, 'type'],
    ['no key id', {}, { kid: undefined }, 'no kid'],
    ['an unknown key id', {}, { kid: 'two' }, 'unknown key'],
    ['another algorithm than its key', {}, { alg: 'RS512' }, 'unknown key'],
    ['its own key', {}, { jwk: {} }, 'jwk'],
    ['the address of its key', {}, { jku: 'https://evil.example' }, 'jku'],
  ])('is not valid with %s', async (_what, more, header, why) => {
    const alg = (header as { alg?: string }).alg ?? 'RS256'
    const pair = alg === 'RS256' ? await rsa : await newPair(alg)
    const token = await sign(more, header, pair)
    await expect(open().verify(token)).rejects.toMatchObject(invalid(why))
  })

  test('is not valid with the key of another', async () => {
    const token = await sign({}, {}, await newPair('RS256'))
    await expect(open().verify(token)).rejects.toMatchObject(invalid('signature'))
  })

  test('needs a signature by a key that only the issuer has', async () => {
    const secret = await exportSPKI((await rsa).publicKey)
    const forged = `${part({ alg: 'HS256', kid: 'one' })}.${part(claims())}`
    const mac = createHmac('sha256', secret).update(forged).digest('base64url')
    const none = `${part({ alg: 'none', kid: 'one' })}.${part(claims())}`
    for (const token of [`${forged}.${mac}`, `${none}.AAAA`]) {
      await expect(open().verify(token)).rejects.toMatchObject(invalid('algorithm'))
    }
    await expect(open().verify(`${none}.`)).rejects.toMatchObject(invalid(''))
  })

  test('expires, a known one too', async () => {
    const verifier = open()
    const token = await sign()
    await verifier.verify(token)
    now += 300_000
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'AUTH_TOKEN_EXPIRED' })
  })
})

describe('the user', () => {
  test.each<[unknown, string, string[]]>([
    [{ roles: ['a', 'b', 'a', 1, ''] }, 'roles', ['a', 'b']],
    [{ scope: 'a  b' }, 'scope', ['a', 'b']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://x.example/roles': ['a'] }, 'https://x.example/roles', ['a']],
    [{ 'a.b': ['whole'], a: { b: ['path'] } }, 'a.b', ['whole']],
    [{ roles: { a: true } }, 'roles', []],
    [{}, 'constructor.name', []],
  ])('has of %j by %s the roles %j', async (more, rolesClaim, roles) => {
    const token = await sign(more as object)
    expect(await open({ rolesClaim }).verify(token)).toMatchObject({ roles })
  })

  test.each<[object, string | null]>([
    [{ email: 'ada@x.example', email_verified: true }, 'ada@x.example'],
    [{ email: 'ada@x.example', email_verified: 'true' }, null],
    [{ email: 'ada@x.example' }, null],
  ])('with %j has the address %j', async (more, email) => {
    expect(await open().verify(await sign(more))).toMatchObject({ email })
  })

  test('has the id of another claim', async () => {
    const verifier = open({ userIdClaim: 'app.id' })
    expect(await verifier.verify(await sign({ app: { id: 'x' } }))).toMatchObject({ sub: 'x' })
  })

  test.each([undefined, '', 7, 'a\nb', '\ud800', 'x'.repeat(256)])(
    'cannot have the id %j',
    async (sub) => {
      await expect(open().verify(await sign({ sub }))).rejects.toMatchObject(invalid('user id'))
    },
  )
})

describe('the keys', () => {
  test('are asked for once, and again for an unknown key after the cooldown', async () => {
    const verifier = open({ cooldownMs: 10_000 })
    for (let times = 0; times < 3; times++) await verifier.verify(await sign({ times }))
    expect(asked).toBe(1)
    const next = await newPair('ES256')
    keys = [await jwkOf(next, { kid: 'two' })]
    const token = await sign({}, { alg: 'ES256', kid: 'two' }, next)
    await expect(verifier.verify(token)).rejects.toMatchObject(invalid('unknown key'))
    now += 10_000
    expect(await verifier.verify(token)).toMatchObject({ sub: 'auth0|ada' })
    await expect(verifier.verify(await sign())).rejects.toMatchObject(invalid('unknown key'))
    expect(asked).toBe(2)
  })

  test('that are known serve for an hour without the issuer, unknown ones are unavailable', async () => {
    const verifier = open()
    const token = await sign({ exp: 1_900_000_000 })
    await verifier.verify(token)
    status = 500
    now += 3_599_000
    expect(await verifier.verify(token)).toMatchObject({ sub: 'auth0|ada' })
    const unknown = verifier.verify(await sign({}, { kid: 'two' }))
    await expect(unknown).rejects.toMatchObject({ name: 'VerifierUnavailableError' })
    now += 1_000
    await expect(verifier.verify(token)).rejects.toMatchObject({
      name: 'VerifierUnavailableError',
    })
  })

  test.each<[string, () => Promise<object>]>([
    ['is for encryption', async () => ({ ...(await jwkOf(await rsa)), use: 'enc' })],
    ['is symmetric', async () => ({ kty: 'oct', kid: 'one', k: 'c2VjcmV0', alg: 'RS256' })],
    ['is short', async () => ({ kty: 'RSA', kid: 'one', n: 'A'.repeat(170), e: 'AQAB' })],
    ['is long', async () => ({ kty: 'RSA', kid: 'one', n: 'f'.repeat(1_400), e: 'AQAB' })],
    ['is no point', async () => ({ kty: 'EC', crv: 'P-256', kid: 'one', x: 'AA', y: 'AA' })],
    ['has no id', async () => ({ ...(await jwkOf(await rsa)), kid: undefined })],
  ])('do not include one that %s', async (_what, key) => {
    keys = [await key(), await jwkOf(await newPair('ES256'), { kid: 'other' })]
    await expect(open().verify(await sign())).rejects.toMatchObject(invalid('unknown key'))
  })
})

describe('a client', () => {
  test('with too many bad signatures waits, and others do not', async () => {
    const failed = new FailedTokens({ maxPerMinute: 3 })
    const verifier = open({ memory: new IssuerMemory(10, failed) })
    const good = await sign()
    await verifier.verify(good, client)
    const stranger = await newPair('RS256')
    for (let jti = 0; jti < 3; jti++) {
      const bad = await sign({ jti }, {}, stranger)
      await expect(verifier.verify(bad, client)).rejects.toMatchObject(invalid('signature'))
    }
    const next = await sign({ jti: 'next' })
    await expect(verifier.verify(next, client)).rejects.toMatchObject({
      name: 'TooManyTokensError',
    })
    expect(await verifier.verify(good, client)).toMatchObject({ sub: 'auth0|ada' })
    expect(await verifier.verify(next, '198.51.100.1')).toMatchObject({ sub: 'auth0|ada' })
  })
})

it('names its issuer before any check', async () => {
  expect(unverifiedIssuer(await sign())).toBe(issuer)
  for (const token of ['', 'a.b.c', 'a.b.c.d.e', `${part({})}.${part([])}.AAAA`]) {
    expect(unverifiedIssuer(token)).toBeNull()
  }
})
