import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  compactDecrypt,
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
} from 'jose'
import { type AuthClient, openAuthClient, outcome } from './support/auth-client.ts'
import { sql } from './support/sql.ts'
import { storedKey } from './support/stored-keys.ts'
import {
  adminToken,
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
  service = await world.startService()
})
beforeEach(async () => {
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
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
    expect((payload.iat ?? 0) - (payload.nbf ?? 0)).toBe(10)
  })

  it('is a JWE of five parts around the same token, when tokens are encrypted', async () => {
    await client.change({ encryptTokens: true })
    const { accessToken, refreshToken } = await client.newUser()
    expect(accessToken.split('.')).toHaveLength(5)
    const enc = (await client.publishedKeys()).find(({ use }) => use === 'enc')
    expect(decodeProtectedHeader(accessToken)).toEqual({
      alg: 'RSA-OAEP-256',
      enc: 'A256GCM',
      cty: 'JWT',
      kid: enc?.kid,
    })
    const { key } = await storedKey(world, client, 'enc')
    const { plaintext } = await compactDecrypt(accessToken, key)
    const keys = createLocalJWKSet({ keys: await client.publishedKeys() })
    await jwtVerify(new TextDecoder().decode(plaintext), keys, { typ: 'at+jwt' })
    expect(await client.isActive(accessToken)).toBe(true)
    expect((await client.refresh(refreshToken)).body.accessToken.split('.')).toHaveLength(5)
    expect(outcome(await client.send('POST logout', { token: accessToken }))).toEqual([200])
    expect(await client.isActive(accessToken)).toBe(false)
  })

  it('is accepted in both forms, whatever the present setting', async () => {
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

  it('is invalid in another environment, even if the keys have the same kid', async () => {
    const other = await openAuthClient(service.api, {
      projectId: client.projectId,
      environment: 'staging',
    })
    const mine = await client.newUser()
    await other.newUser()
    const { key } = await storedKey(world, client, 'sig')
    const [{ kid } = {}] = await other.publishedKeys()
    await sql(world, `update signing_key set kid = $3 where project_id = $1 and environment = $2`, [
      client.projectId,
      'master',
      kid,
    ])
    // Signed again with the first environment's key, under the `kid` that both have now.
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

  it('returns the claims to services, for a form and for JSON', async () => {
    const { accessToken, user } = await client.newUser()
    const form = await ask({ body: new URLSearchParams({ token: accessToken }).toString() })
    expect(form.headers.get('cache-control')).toBe('no-store')
    const claims = await form.json()
    expect(claims).toMatchObject({ active: true, token_type: 'Bearer', sub: user.id, gen: 1 })
    expect((await client.introspect(accessToken)).body).toEqual(claims)
  })

  it('answers only services', async () => {
    const { accessToken } = await client.newUser()
    for (const token of [`${serviceToken}x`, accessToken, adminToken]) {
      expect((await ask({ body: `token=${accessToken}`, token })).status).toBe(401)
    }
  })

  it('is a POST', async () => {
    for (const method of ['GET', 'PUT']) {
      const answer = await fetch(`${service.api}/auth/introspect`, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
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
