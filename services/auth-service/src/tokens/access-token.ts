import { randomUUID } from 'node:crypto'
import { noCredential } from '@surehook/service-kit/access/no-credential'
import { AppError } from '@surehook/service-kit/errors'
import {
  type AccessClaims,
  bearerToken,
  ClaimsCache,
  invalidToken,
  requireUnexpired,
  TokenError,
  tokenForm,
  verifyAccessJws,
} from '@surehook/token-verifier'
import { CompactEncrypt, compactDecrypt, errors, SignJWT } from 'jose'
import type { Tenant } from '../tenant/tenant.ts'
import { usesOf } from './key-pair.ts'
import type { TenantName } from './key-store.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Whose token it is; `gen` is the generation of the session's tokens. */
export type AccessSubject = Pick<AccessClaims, 'sub' | 'sid' | 'gen' | 'roles'>

export type AccessTokens = {
  /** A new access token: a JWS, or a JWE when the environment encrypts. */
  issue(tenant: Tenant, subject: AccessSubject): Promise<string>
  /** Resolves when nothing that `issue` needs is away: for who changes something before it issues. */
  prepare(tenant: Tenant): Promise<void>
  /**
   * The claims of the token in `authorization`, which was issued here for this tenant, has not expired and is
   * not revoked; else AUTH_TOKEN_EXPIRED or AUTH_TOKEN_INVALID, and 503 when that cannot be known.
   */
  authenticate(tenant: Tenant, authorization: string | undefined): Promise<AccessClaims>
  /** The same for a token without its scheme. */
  verify(tenant: Tenant, token: string): Promise<AccessClaims>
}

export type AccessTokensOptions = {
  keys: Pick<SigningKeys, 'current' | 'find'>
  /** Whether the token was revoked; rejects with 503 when that cannot be known. */
  isRevoked: (tenant: TenantName, claims: AccessClaims) => Promise<boolean>
  publicUrl: string
  now?: () => number
}

const cachedTokens = 50_000
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { keys, isRevoked, publicUrl, now = Date.now } = options
  const cache = new ClaimsCache(cachedTokens)
  const issuerOf = ({ projectId, environment }: TenantName) =>
    `${publicUrl}/auth/${projectId}/${environment}`

  async function read(tenant: Tenant, token: string): Promise<AccessClaims> {
    const jws = tokenForm(token).kind === 'jwe' ? await decrypt(keys, tenant, token) : token
    const keyOf = async (kid: string) => (await keys.find(tenant, 'sig', kid))?.publicKey ?? null
    const expected = { issuer: issuerOf(tenant), audience: audienceOf(tenant), nowMs: now() }
    return verifyAccessJws(jws, { keyOf }, expected)
  }

  async function claimsOf(tenant: Tenant, token: string): Promise<AccessClaims> {
    // With the keys that it was verified with a token's claims go too.
    const key = ClaimsCache.keyOf(`${audienceOf(tenant)} ${tenant.keyEpoch}`, token)
    const known = cache.get(key)
    if (known === undefined) {
      const claims = await read(tenant, token)
      cache.set(key, claims)
      return claims
    }
    requireUnexpired(known, now())
    return known
  }

  const verify: AccessTokens['verify'] = async (tenant, token) => {
    const claims = await claimsOf(tenant, token).catch((err: unknown) => {
      throw err instanceof TokenError ? refused(err) : err
    })
    if (await isRevoked(tenant, claims)) throw refused(invalidToken('revoked'))
    return claims
  }

  return {
    verify,
    async issue(tenant, subject) {
      const jws = await sign(await keys.current(tenant, 'sig'), {
        subject,
        issuer: issuerOf(tenant),
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
    authenticate(tenant, authorization) {
      if (!authorization) return Promise.reject(none())
      const token = bearerToken(authorization)
      return token === null ? Promise.reject(noBearer()) : verify(tenant, token)
    },
  }
}

const noBearer = () => refused(invalidToken('no bearer token'))
const none = () => noCredential('AUTH_TOKEN_INVALID', 'access token')

const audienceOf = ({ projectId, environment }: TenantName): string => `${projectId}/${environment}`

type Signed = {
  subject: AccessSubject
  issuer: string
  audience: string
  issuedAt: number
  ttlS: number
}

function sign(
  { kid, privateKey }: Awaited<ReturnType<SigningKeys['current']>>,
  { subject, issuer, audience, issuedAt, ttlS }: Signed,
): Promise<string> {
  const { sub, sid, gen, roles } = subject
  return new SignJWT({ sid, gen, roles })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(sub)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(issuedAt + ttlS)
    .sign(privateKey)
}

/** The token inside an encrypted one. */
async function decrypt(
  keys: Pick<SigningKeys, 'find'>,
  tenant: Tenant,
  token: string,
): Promise<string> {
  const { alg, enc, cty, kid } = tokenForm(token).header
  if (alg !== 'RSA-OAEP-256' || enc !== 'A256GCM' || cty !== 'JWT') throw invalidToken('encryption')
  const key = typeof kid === 'string' ? await keys.find(tenant, 'enc', kid) : null
  if (key === null) throw invalidToken('unknown key')
  try {
    const { plaintext } = await compactDecrypt(token, key.privateKey, {
      keyManagementAlgorithms: ['RSA-OAEP-256'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return decoder.decode(plaintext)
  } catch (err) {
    if (err instanceof errors.JOSEError) throw invalidToken('ciphertext', err)
    throw err
  }
}

/** What the caller is told; the reason stays with us. */
function refused(err: TokenError): AppError {
  const message =
    err.code === 'AUTH_TOKEN_EXPIRED'
      ? 'The access token has expired'
      : 'The access token is not valid'
  return new AppError(err.code, message, { cause: err })
}
