import { beforeAll, describe, expect, it } from '@jest/globals'
import { unavailable } from '@surehook/service-kit/errors'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Revocations } from './revocations.ts'
import { createUserTokens } from './user-tokens.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const issuer = 'https://x.example/auth/shop/master'
const audience = 'shop/master'
let token: string
let fetchKeys: typeof fetch

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' }
  fetchKeys = async () => Response.json({ keys: [jwk] })
  token = await new SignJWT({ sid: 'sid', gen: 1, roles: [], jti: 'jti' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'one' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('user')
    .setIssuedAt()
    .setNotBefore('0s')
    .setExpirationTime('5m')
    .sign(privateKey)
})

function tokensWith(revocations: Revocations, barrier: () => Promise<void>) {
  return createUserTokens({
    onLimited: () => undefined,
    maxFailedTokensPerMinute: 100,
    revocations,
    view: {
      ready: Promise.resolve(),
      healthy: true,
      barrier,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    issued: { verify: () => Promise.reject(new Error('not asked')) },
    issuerOf: () => ({ jwksUrl: 'https://x.example/jwks', issuer, audience, fetch: fetchKeys }),
  })
}

const revocation = {
  sessionId: 'sid',
  ...tenant,
  minGeneration: 2,
  expiresAt: new Date(Date.now() + 60_000).toISOString(),
}

describe('the tokens of users', () => {
  it("are checked against the topic's present end, not against what was read so far", async () => {
    const revocations = new Revocations()
    let onTopic: typeof revocation | null = null
    const tokens = tokensWith(revocations, async () => {
      if (onTopic !== null) revocations.apply('sid', onTopic)
    })
    expect(await tokens.verify(tenant, { token, client: '203.0.113.7' }, 0)).toMatchObject({
      sub: 'user',
      sid: 'sid',
    })
    onTopic = revocation
    await expect(tokens.verify(tenant, { token, client: '203.0.113.7' }, 0)).rejects.toMatchObject({
      code: 'AUTH_TOKEN_INVALID',
    })
  })

  it('are not checked while the topic is unreadable', async () => {
    const tokens = tokensWith(new Revocations(), () => Promise.reject(unavailable('away')))
    const verifying = tokens.verify(tenant, { token, client: '203.0.113.7' }, 0)
    await expect(verifying).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})

describe('revocations', () => {
  it('are neither lowered nor shortened by a later record', () => {
    const revocations = new Revocations()
    revocations.apply('sid', { ...revocation, minGeneration: 5 })
    revocations.apply('sid', revocation)
    expect(revocations.isRevoked({ sid: 'sid', gen: 4 })).toBe(true)
    const expiresAt = new Date(Date.now() - 1_000).toISOString()
    revocations.apply('sid', { ...revocation, expiresAt })
    expect(revocations.isRevoked({ sid: 'sid', gen: 4 })).toBe(true)
    expect(revocations.isRevoked({ sid: 'sid', gen: 5 })).toBe(false)
  })

  it('are forgotten when their tokens have expired', () => {
    let now = Date.now()
    const revocations = new Revocations(() => now)
    revocations.apply('sid', revocation)
    expect(revocations.isRevoked({ sid: 'sid', gen: 1 })).toBe(true)
    expect(revocations.isRevoked({ sid: 'sid', gen: 2 })).toBe(false)
    now += 120_000
    revocations.apply('old', { ...revocation, sessionId: 'old' })
    expect(revocations.size).toBe(0)
  })
})
