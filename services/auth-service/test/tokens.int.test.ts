import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import {
  base64url,
  CompactEncrypt,
  CompactSign,
  compactDecrypt,
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  importJWK,
  importPKCS8,
  jwtVerify,
  SignJWT,
} from 'jose'
import { Client } from 'pg'
import { type AuthClient, openAuthClient, outcome } from './support/auth-client.ts'
import {
  encryptionKey,
  openWorld,
  publicUrl,
  type Running,
  serviceToken,
  type World,
} from './support/under-test.ts'

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService({ keyLeadMs: 1_000 })
}, 60_000)
beforeEach(async () => {
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const owner = new Client({ connectionString: world.database.databaseUrl })
  await owner.connect()
  try {
    return (await owner.query(text, values)).rows as Row[]
  } finally {
    await owner.end()
  }
}

const jwksOf = async (of: AuthClient) => (await of.send('GET .well-known/jwks.json')).body.keys

/** The environment's private key, as only the service can read it. */
async function privateKey(of: AuthClient, use: 'sig' | 'enc') {
  const [row] = await sql<{ kid: string; sealed: string }>(
    `select kid, sealed_private_key as sealed from signing_key
      where project_id = $1 and environment = $2 and use = $3 order by active_from desc limit 1`,
    [of.projectId, of.environment, use],
  )
  const kid = row?.kid ?? ''
  const context = `signing-key/${of.projectId}/${of.environment}/${kid}`
  const pem = createSecretBox(encryptionKey).open(row?.sealed ?? '', context)
  return { kid, pem, key: await importPKCS8(pem, use === 'sig' ? 'RS256' : 'RSA-OAEP-256') }
}

describe('the key set', () => {
  it('has one key for signatures, and one for encryption when tokens are encrypted', async () => {
    const answer = await client.send('GET .well-known/jwks.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('max-age=300')
    const [sig, ...others] = answer.body.keys
    expect(others).toEqual([])
    expect(Object.keys(sig ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(sig).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' })
    await client.change({ encryptTokens: true })
    expect((await jwksOf(client)).map(({ use, alg }) => [use, alg])).toEqual([
      ['sig', 'RS256'],
      ['enc', 'RSA-OAEP-256'],
    ])
    await client.change({ encryptTokens: false })
    expect(await jwksOf(client)).toEqual([sig])
  })

  it('answers 304 to whoever has it, and anew when it changed', async () => {
    const etag = (await client.send('GET .well-known/jwks.json')).headers.get('etag') ?? ''
    const held = { headers: { 'if-none-match': etag } }
    expect((await client.send('GET .well-known/jwks.json', held)).status).toBe(304)
    await client.change({ encryptTokens: true })
    expect((await client.send('GET .well-known/jwks.json', held)).status).toBe(200)
  })

  it('is made once, however many ask first', async () => {
    await using second = await world.startService()
    const there = await openAuthClient(second.api, { projectId: client.projectId })
    const sets = await Promise.all(
      Array.from({ length: 12 }, (_, index) => jwksOf(index % 2 === 0 ? client : there)),
    )
    expect(new Set(sets.map((keys) => JSON.stringify(keys))).size).toBe(1)
  })

  it('shows no private member, and the database has the private key sealed only', async () => {
    await client.newUser()
    const rows = await sql<{ row: string }>('select signing_key::text as row from signing_key')
    for (const { row } of rows) expect(row).not.toContain('PRIVATE KEY')
    expect((await privateKey(client, 'sig')).pem).toContain('PRIVATE KEY')
  })
})

describe('an access token', () => {
  const remoteKeys = () =>
    createRemoteJWKSet(new URL(`${service.api}/auth/.well-known/jwks.json`), {
      headers: { 'X-Project-Id': client.projectId },
    })

  it('is verified by an independent client of the key set', async () => {
    const { accessToken, user } = await client.newUser()
    const { payload, protectedHeader } = await jwtVerify(accessToken, remoteKeys(), {
      issuer: `${publicUrl}/auth/${client.projectId}/master`,
      audience: `${client.projectId}/master`,
      algorithms: ['RS256'],
      typ: 'at+jwt',
      requiredClaims: ['sub', 'sid', 'jti', 'roles', 'iat', 'nbf', 'exp'],
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toMatchObject({ sub: user.id, roles: [] })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900)
  })

  it('is a JWE of five parts with that same token in it, when tokens are encrypted', async () => {
    await client.change({ encryptTokens: true })
    const { accessToken, refreshToken } = await client.newUser()
    expect(accessToken.split('.')).toHaveLength(5)
    const enc = (await jwksOf(client)).find(({ use }) => use === 'enc')
    expect(decodeProtectedHeader(accessToken)).toEqual({
      alg: 'RSA-OAEP-256',
      enc: 'A256GCM',
      cty: 'JWT',
      kid: enc?.['kid'],
    })
    const { key } = await privateKey(client, 'enc')
    const { plaintext } = await compactDecrypt(accessToken, key)
    const keys = createLocalJWKSet({ keys: (await jwksOf(client)) as never })
    await jwtVerify(new TextDecoder().decode(plaintext), keys, { typ: 'at+jwt' })
    expect(await client.isActive(accessToken)).toBe(true)
    expect((await client.refresh(refreshToken)).body.accessToken.split('.')).toHaveLength(5)
    expect(outcome(await client.send('POST logout', { token: accessToken }))).toEqual([200])
    expect(await client.isActive(accessToken)).toBe(false)
  })

  it('is taken in both forms, whatever the setting is by then', async () => {
    const signed = await client.newUser()
    await client.change({ encryptTokens: true })
    const encrypted = await client.login(signed.email)
    expect(await client.isActive(signed.accessToken)).toBe(true)
    await client.change({ encryptTokens: false })
    expect(await client.isActive(encrypted.accessToken)).toBe(true)
  })

  it.each([false, true])('expires to the second (encrypted: %j)', async (encryptTokens) => {
    await client.change({ accessTokenTtl: 1, encryptTokens })
    const { accessToken } = await client.newUser()
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    expect(outcome(await client.send('POST logout', { token: accessToken }))).toEqual([
      401,
      'AUTH_TOKEN_EXPIRED',
    ])
    expect((await client.introspect(accessToken)).body).toEqual({
      active: false,
      reason: 'expired',
    })
  })

  it('is nothing to another environment, even when the keys have one name', async () => {
    const other = await openAuthClient(service.api, {
      projectId: client.projectId,
      environment: 'staging',
    })
    const mine = await client.newUser()
    await other.newUser()
    const [{ kid } = {}] = await jwksOf(other)
    await sql(`update signing_key set kid = $3 where project_id = $1 and environment = $2`, [
      client.projectId,
      'master',
      kid,
    ])
    // Signed anew with the key of mine under the name that both have.
    const box = createSecretBox(encryptionKey)
    const [row] = await sql<{ sealed: string }>(
      `select sealed_private_key as sealed from signing_key where project_id = $1 and environment = 'master'`,
      [client.projectId],
    )
    const oldKid = decodeProtectedHeader(mine.accessToken).kid ?? ''
    const pem = box.open(row?.sealed ?? '', `signing-key/${client.projectId}/master/${oldKid}`)
    const key = await importPKCS8(pem, 'RS256')
    for (const environment of ['staging', 'master']) {
      const token = await new SignJWT({ sid: randomUUID(), gen: 1, roles: [] })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: kid ?? '' })
        .setIssuer(`${publicUrl}/auth/${client.projectId}/${environment}`)
        .setAudience(`${client.projectId}/${environment}`)
        .setSubject(randomUUID())
        .setJti(randomUUID())
        .setIssuedAt()
        .setNotBefore(Math.floor(Date.now() / 1_000))
        .setExpirationTime('5m')
        .sign(key)
      expect(await other.isActive(token)).toBe(false)
    }
    expect(await other.isActive(mine.accessToken)).toBe(false)
    expect(outcome(await other.send('POST logout', { token: mine.accessToken }))).toEqual([
      401,
      'AUTH_TOKEN_INVALID',
    ])
  })
})

describe('a hostile token', () => {
  it('is refused, whatever it tries', async () => {
    await client.change({ encryptTokens: true })
    const { accessToken: encrypted, email } = await client.newUser()
    await client.change({ encryptTokens: false })
    const { accessToken: good } = await client.login(email)
    const tokens = await hostileTokens(good, encrypted)
    for (const [name, token] of Object.entries(tokens)) {
      const answer = await client.send('POST logout', { token })
      expect([name, ...outcome(answer)]).toEqual([name, 401, 'AUTH_TOKEN_INVALID'])
      expect([name, await client.isActive(token)]).toEqual([name, false])
    }
    expect(await client.isActive(good)).toBe(true)
    expect(await client.isActive(encrypted)).toBe(true)
  })

  async function hostileTokens(good: string, encrypted: string): Promise<Record<string, string>> {
    const sig = await privateKey(client, 'sig')
    const enc = await privateKey(client, 'enc')
    const [header = '', payload = '', signature = ''] = good.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const text = (value: object) => base64url.encode(JSON.stringify(value))
    const sign = (head: object, body: object | string = claims, key = sig.key) =>
      new CompactSign(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: sig.kid, ...head })
        .sign(key, { crit: { 'urn:x': true } })
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const strangerKey = await importPKCS8(
      stranger.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      'RS256',
    )
    const strangerJwk = stranger.publicKey.export({ format: 'jwk' }) as { n: string; e: string }
    const [published] = (await jwksOf(client)) as { n: string; e: string }[]
    const publicPem = stranger.publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const hmac = (secret: string) => {
      const head = text({ alg: 'HS256', typ: 'at+jwt', kid: sig.kid })
      const tag = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')
      return `${head}.${payload}.${tag}`
    }
    const seal = async (inner: string, head: object = {}) => {
      const jwk = { kty: 'RSA', ...(await publicMembers(enc.kid)) }
      return new CompactEncrypt(Buffer.from(inner))
        .setProtectedHeader({
          alg: 'RSA-OAEP-256',
          enc: 'A256GCM',
          cty: 'JWT',
          kid: enc.kid,
          ...head,
        } as never)
        .encrypt((await importJWK(jwk, (head as { alg?: string }).alg ?? 'RSA-OAEP-256')) as never)
    }
    const [jweHead = '', jweKey = '', jweIv = '', jweText = '', jweTag = ''] = encrypted.split('.')
    const flip = (part: string) => {
      const bytes = Buffer.from(part, 'base64url')
      bytes[0] = (bytes[0] ?? 0) ^ 1
      return bytes.toString('base64url')
    }
    const now = Math.floor(Date.now() / 1_000)
    return {
      'no parts': 'x',
      'two parts': `${header}.${payload}`,
      'four parts': `${good}.x`,
      'no signature': `${header}.${payload}.`,
      none: `${text({ alg: 'none', typ: 'at+jwt', kid: sig.kid })}.${payload}.`,
      'none with a signature': `${text({ alg: 'none', kid: sig.kid })}.${payload}.${signature}`,
      'hmac with the modulus': hmac(published?.n ?? ''),
      'hmac with a public key': hmac(publicPem),
      'another payload': `${header}.${text({ ...claims, roles: ['admin'] })}.${signature}`,
      'a flipped signature': `${header}.${payload}.${flip(signature)}`,
      'another spelling of the signature': `${good.slice(0, -1)}${String.fromCharCode(
        good.charCodeAt(good.length - 1) + 1,
      )}`,
      padded: `${good}==`,
      RS512: await importPKCS8(sig.pem, 'RS512').then((key) => sign({ alg: 'RS512' }, claims, key)),
      PS256: await importPKCS8(sig.pem, 'PS256').then((key) => sign({ alg: 'PS256' }, claims, key)),
      'a stranger’s key': await sign({}, claims, strangerKey),
      'a key that it brings': await sign(
        { jwk: { kty: 'RSA', ...strangerJwk } },
        claims,
        strangerKey,
      ),
      'our key, brought along': await sign({
        jwk: { kty: 'RSA', n: published?.n, e: published?.e },
      }),
      jku: await sign({ jku: 'https://evil.example/jwks.json' }),
      x5u: await sign({ x5u: 'https://evil.example/cert.pem' }),
      x5c: await sign({ x5c: ['MIIB'] }),
      crit: await sign({ crit: ['urn:x'], 'urn:x': 1 }),
      zip: await sign({ zip: 'DEF' }),
      'an unknown kid': await sign({ kid: 'nobody' }),
      'a kid like a path': await sign({ kid: '../../../../dev/null' }),
      'a kid like SQL': await sign({ kid: "' or '1'='1" }),
      'a kid that is no text': await sign({ kid: 1 as never }),
      'the kid of the other use': await sign({ kid: enc.kid }),
      'no kid': await sign({ kid: undefined }),
      'the type of an ID token': await sign({ typ: 'JWT' }),
      'no type': await sign({ typ: undefined }),
      'no JSON': await sign({}, 'hello'),
      'an array': await sign({}, '[1]'),
      null: await sign({}, 'null'),
      'no expiry': await sign({}, { ...claims, exp: undefined }),
      'an expiry as text': await sign({}, { ...claims, exp: String(now + 600) }),
      'not valid yet': await sign({}, { ...claims, nbf: now + 600 }),
      'from the future': await sign({}, { ...claims, iat: now + 600 }),
      'another issuer': await sign({}, { ...claims, iss: 'https://evil.example' }),
      'another audience': await sign({}, { ...claims, aud: 'other/master' }),
      'many audiences': await sign({}, { ...claims, aud: [`${client.projectId}/master`] }),
      'no session': await sign({}, { ...claims, sid: undefined }),
      'roles as text': await sign({}, { ...claims, roles: 'admin' }),
      'very long': `${header}.${base64url.encode('x'.repeat(6_000))}.${signature}`,
      'JWE, a flipped key': [jweHead, flip(jweKey), jweIv, jweText, jweTag].join('.'),
      'JWE, a flipped text': [jweHead, jweKey, jweIv, flip(jweText), jweTag].join('.'),
      'JWE, a flipped tag': [jweHead, jweKey, jweIv, jweText, flip(jweTag)].join('.'),
      'JWE, a short tag': [jweHead, jweKey, jweIv, jweText, jweTag.slice(0, 4)].join('.'),
      'JWE, empty parts': '....',
      'JWE without a signature inside': await seal(JSON.stringify(claims)),
      'JWE with a none inside': await seal(`${text({ alg: 'none' })}.${payload}.`),
      'JWE in a JWE': await seal(encrypted),
      'JWE with a stranger’s token inside': await seal(await sign({}, claims, strangerKey)),
      'JWE, RSA-OAEP': await seal(good, { alg: 'RSA-OAEP' }),
      'JWE, A128GCM': await seal(good, { enc: 'A128GCM' }),
      'JWE, A256CBC-HS512': await seal(good, { enc: 'A256CBC-HS512' }),
      'JWE, no cty': await seal(good, { cty: undefined }),
      'JWE, unknown kid': await seal(good, { kid: 'nobody' }),
      'JWE, kid of the other use': await seal(good, { kid: sig.kid }),
    }
  }

  async function publicMembers(kid: string): Promise<{ n: string; e: string }> {
    const [row] = await sql<{ key: { n: string; e: string } }>(
      'select public_key as key from signing_key where project_id = $1 and kid = $2',
      [client.projectId, kid],
    )
    return row?.key ?? { n: '', e: '' }
  }
})

describe('a rotation', () => {
  it('publishes the new key before it is used, and keeps the old while its tokens live', async () => {
    await client.change({ accessTokenTtl: 2 })
    const before = await client.newUser()
    const [old] = await jwksOf(client)
    const { status, body } = await client.admin('POST /keys/rotate')
    expect(status).toBe(200)
    expect(body).toMatchObject({ keys: [{ use: 'sig' }, { use: 'sig' }] })
    const published = (await jwksOf(client)).map(({ kid }) => kid)
    expect(published).toHaveLength(2)
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    const during = await client.login(before.email)
    expect(kidOf(during.accessToken)).toBe(old?.['kid'])
    // A second request while one is on its way makes no third key.
    await client.admin('POST /keys/rotate')
    expect(await jwksOf(client)).toHaveLength(2)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const after = await client.login(before.email)
    expect(kidOf(after.accessToken)).not.toBe(old?.['kid'])
    expect(published).toContain(kidOf(after.accessToken))
    expect(await client.isActive(after.accessToken)).toBe(true)
    // As if the time of the last token and a minute had passed.
    await sql(
      `update signing_key set active_from = active_from - interval '2 minutes'
        where project_id = $1`,
      [client.projectId],
    )
    expect((await jwksOf(client)).map(({ kid }) => kid)).toEqual([kidOf(after.accessToken)])
  })

  it('happens by itself when the key has reached its age', async () => {
    const { accessToken } = await client.newUser()
    await sql(
      `update signing_key set created_at = created_at - interval '91 days' where project_id = $1`,
      [client.projectId],
    )
    expect(await jwksOf(client)).toHaveLength(2)
    expect(await jwksOf(client)).toHaveLength(2)
    expect(await client.isActive(accessToken)).toBe(true)
  })

  it('needs the administration and an environment that is there', async () => {
    expect((await client.admin('POST /keys/rotate')).status).toBe(200)
    const response = await fetch(
      `${service.api}/auth/admin/projects/${client.projectId}/environments/master/keys/rotate`,
      { method: 'POST' },
    )
    expect(response.status).toBe(401)
    const nowhere = await openAuthClient(service.api)
    const missing = await fetch(
      `${service.api}/auth/admin/projects/${nowhere.projectId}/environments/nope/keys/rotate`,
      { method: 'POST', headers: { authorization: 'Bearer admin-token-of-the-tests' } },
    )
    expect(missing.status).toBe(404)
  })
})

describe('an introspection', () => {
  const ask = (init: { body: string; type?: string; token?: string }) =>
    fetch(`${service.api}/auth/introspect`, {
      method: 'POST',
      headers: {
        'x-project-id': client.projectId,
        'content-type': init.type ?? 'application/x-www-form-urlencoded',
        authorization: `Bearer ${init.token ?? serviceToken}`,
      },
      body: init.body,
    })

  it('tells services the claims, asked with a form as with JSON', async () => {
    const { accessToken, user } = await client.newUser()
    const form = await ask({ body: new URLSearchParams({ token: accessToken }).toString() })
    expect(form.headers.get('cache-control')).toBe('no-store')
    const claims = await form.json()
    expect(claims).toMatchObject({ active: true, token_type: 'Bearer', sub: user.id, gen: 1 })
    expect((await client.introspect(accessToken)).body).toEqual(claims)
  })

  it('tells nobody else', async () => {
    const { accessToken } = await client.newUser()
    for (const token of [`${serviceToken}x`, accessToken, 'admin-token-of-the-tests']) {
      expect((await ask({ body: `token=${accessToken}`, token })).status).toBe(401)
    }
  })

  it('names what is wrong with the request', async () => {
    expect((await ask({ body: '' })).status).toBe(400)
    expect((await ask({ body: '{', type: 'application/json' })).status).toBe(400)
    expect((await ask({ body: '{"token":1}', type: 'application/json' })).status).toBe(400)
    expect((await ask({ body: 'x', type: 'text/plain' })).status).toBe(415)
    expect((await ask({ body: `token=${'x'.repeat(40_000)}` })).status).toBe(413)
  })
})
