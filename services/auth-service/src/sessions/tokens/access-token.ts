import { randomUUID, sign as signBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { noCredential } from '@surehook/access/no-credential'
import { AppError } from '@surehook/service-kit/errors'
import {
  type AccessClaims,
  bearerToken,
  ClaimsCache,
  invalidToken,
  requireUnexpired,
  TokenError,
} from '@surehook/token-verifier'
import { CompactEncrypt } from 'jose'
import { issuerOf } from '../../discovery/issuer.ts'
import { usesOf } from '../../keys/key-pair.ts'
import type { SigningKeys } from '../../keys/signing-keys.ts'
import type { Tenant, TenantName } from '../../platform/tenant.ts'
import type { Decryptions, TokenBearer } from './decryptions.ts'
import { type Bearer, createTokenReader } from './read-token.ts'

/** The claims of a new token; `gen` is the generation of the session's tokens. */
export type AccessSubject = Pick<AccessClaims, 'sub' | 'sid' | 'gen' | 'roles'>

export type AccessTokens = {
  /** Issues an access token: a JWS, or a JWE if the environment encrypts tokens. */
  issue(tenant: Tenant, subject: AccessSubject): Promise<string>
  /**
   * Resolves if everything that `issue` needs is available. Call it before a change that `issue`
   * must follow.
   */
  prepare(tenant: Tenant): Promise<void>
  /**
   * Returns the claims of the token in `authorization` if it was issued for this tenant, has not
   * expired and is not revoked. Otherwise rejects with AUTH_TOKEN_EXPIRED or AUTH_TOKEN_INVALID.
   * Rejects with RATE_LIMIT_EXCEEDED after too many invalid encrypted tokens of the client, and
   * with 503 if the check is impossible.
   */
  authenticate(
    tenant: Tenant,
    authorization: string | undefined,
    client: NonNullable<TokenBearer['client']>,
  ): Promise<AccessClaims>
  /** The same check for a token that another service received. */
  verify(tenant: Tenant, token: string): Promise<AccessClaims>
}

export type AccessTokensOptions = {
  keys: Pick<SigningKeys, 'current' | 'find'>
  decryptions: Decryptions
  /** Rejects with 503 if Redis is down. */
  isRevoked: (tenant: TenantName, claims: AccessClaims) => Promise<boolean>
  publicUrl: string
  now?: () => number
}

const cachedTokens = 50_000
const encoder = new TextEncoder()

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { keys, decryptions, isRevoked, publicUrl, now = Date.now } = options
  const cache = new ClaimsCache(cachedTokens)
  const expectedOf = (tenant: TenantName) => ({
    issuer: issuerOf(publicUrl, tenant),
    audience: audienceOf(tenant),
    nowMs: now(),
  })
  const read = createTokenReader({ keys, decryptions, expectedOf })

  async function claimsOf(by: Bearer, token: string): Promise<AccessClaims> {
    const { tenant } = by
    // The cache key has the key epoch: replacing the keys also invalidates the cached claims.
    const key = ClaimsCache.keyOf(`${audienceOf(tenant)} ${tenant.keyEpoch}`, token)
    const known = cache.get(key)
    if (known === undefined) {
      const claims = await read(by, token)
      cache.set(key, claims)
      return claims
    }
    requireUnexpired(known, now())
    return known
  }

  async function verify(by: Bearer, token: string): Promise<AccessClaims> {
    const claims = await claimsOf(by, token).catch((err: unknown) => {
      throw err instanceof TokenError ? refused(err) : err
    })
    if (await isRevoked(by.tenant, claims)) throw refused(invalidToken('revoked'))
    return claims
  }

  return {
    verify: (tenant, token) => verify({ tenant, client: null }, token),
    async issue(tenant, subject) {
      const jws = await sign(await keys.current(tenant, 'sig'), {
        subject,
        issuer: issuerOf(publicUrl, tenant),
        audience: audienceOf(tenant),
        issuedAt: Math.floor(now() / 1_000),
        ttlS: tenant.settings.accessTokenTtl,
      })
      if (!tenant.settings.encryptTokens) return jws
      const { kid, publicKey } = await keys.current(tenant, 'enc')
      return new CompactEncrypt(encoder.encode(jws))
        .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid })
        .encrypt(publicKey)
    },
    async prepare(tenant) {
      for (const use of usesOf(tenant.settings)) await keys.current(tenant, use)
    },
    authenticate(tenant, authorization, client) {
      if (!authorization) return Promise.reject(none())
      const token = bearerToken(authorization)
      return token === null ? Promise.reject(noBearer()) : verify({ tenant, client }, token)
    },
  }
}

const noBearer = () => refused(invalidToken('no bearer token'))
const none = () => noCredential('AUTH_TOKEN_INVALID', 'access token')

const audienceOf = ({ projectId, environment }: TenantName): string => `${projectId}/${environment}`

type ClaimsInput = {
  subject: AccessSubject
  issuer: string
  audience: string
  issuedAt: number
  ttlS: number
}

const signOffThread = promisify(signBytes)

/**
 * Signs a JWS with RS256 (RFC 7515, section 7.1). jose would add a sixth to the cost of the
 * signature.
 */
async function sign(
  { kid, signingKey }: Awaited<ReturnType<SigningKeys['current']>>,
  { subject, issuer, audience, issuedAt, ttlS }: ClaimsInput,
): Promise<string> {
  const { sub, sid, gen, roles } = subject
  const times = { iat: issuedAt, nbf: issuedAt - clockSkewS, exp: issuedAt + ttlS }
  const claims = { sid, gen, roles, iss: issuer, aud: audience, sub, jti: randomUUID(), ...times }
  const input = `${partOf({ alg: 'RS256', typ: 'at+jwt', kid })}.${partOf(claims)}`
  const signature = await signOffThread('sha256', Buffer.from(input), signingKey)
  return `${input}.${signature.toString('base64url')}`
}

/** Verifiers whose clocks are behind accept a new token at once. */
const clockSkewS = 10

const partOf = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The error for the caller; it hides the reason. */
function refused(err: TokenError): AppError {
  const message =
    err.code === 'AUTH_TOKEN_EXPIRED'
      ? 'The access token has expired'
      : 'The access token is not valid'
  return new AppError(err.code, message, { cause: err })
}
