import { type AccessClaims, readClaims, requireUnexpired } from './claims.ts'
import { ClaimsCache } from './claims-cache.ts'
import type { Introspect } from './introspection.ts'
import { RemoteKeys } from './remote-keys.ts'
import { invalidToken, VerifierUnavailableError } from './token-error.ts'
import { tokenForm } from './token-form.ts'
import { verifyAccessJws } from './verify-jws.ts'

export type TokenVerifierOptions = {
  /** `{base URL}/auth/.well-known/jwks.json` */
  jwksUrl: string | URL
  /** Sent with the request for keys: `X-Project-Id` and `environment`. */
  headers?: Readonly<Record<string, string>>
  /** `{base URL}/auth/{project}/{environment}` */
  issuer: string
  /** `{project}/{environment}` */
  audience: string
  /** Asked for every token on every request; rejects when that cannot be known. */
  isRevoked: (claims: AccessClaims) => boolean | Promise<boolean>
  /** Reads encrypted tokens, which without it are refused. */
  introspect?: Introspect
  cooldownMs?: number
  maxAgeMs?: number
  maxStaleMs?: number
  timeoutMs?: number
  /** Shared by the verifiers of a process. */
  cache?: ClaimsCache
  fetch?: typeof fetch
  now?: () => number
}

export type TokenVerifier = {
  /**
   * The claims of a token that is good now. Rejects with a `TokenError` for one that is not, and with
   * `VerifierUnavailableError` when that cannot be known.
   */
  verify(token: string): Promise<AccessClaims>
}

const cachedTokens = 10_000

/** Verifies the access tokens of one project and environment. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience, isRevoked, introspect } = options
  const { cache = new ClaimsCache(cachedTokens), now = Date.now } = options
  const keys = remoteKeys(options)

  async function read(token: string): Promise<AccessClaims> {
    const expected = () => ({ issuer, audience, nowMs: now() })
    if (tokenForm(token).kind === 'jws') return verifyAccessJws(token, keys, expected())
    if (introspect === undefined) throw invalidToken('encrypted')
    return readClaims(await introspect(token), expected())
  }

  async function claimsOf(token: string): Promise<AccessClaims> {
    const key = ClaimsCache.keyOf(audience, token)
    const known = cache.get(key)
    if (known === undefined) {
      const claims = await read(token)
      cache.set(key, claims)
      return claims
    }
    requireUnexpired(known, now())
    return known
  }

  return {
    async verify(token) {
      const claims = await claimsOf(token)
      if (await askRevoked(isRevoked, claims)) throw invalidToken('revoked')
      return claims
    },
  }
}

/** Whatever keeps it from an answer, the token is neither good nor bad. */
async function askRevoked(
  isRevoked: TokenVerifierOptions['isRevoked'],
  claims: AccessClaims,
): Promise<boolean> {
  try {
    return await isRevoked(claims)
  } catch (err) {
    throw new VerifierUnavailableError('Revocations cannot be read', { cause: err })
  }
}

function remoteKeys(options: TokenVerifierOptions): RemoteKeys {
  const { jwksUrl, headers, cooldownMs = 30_000, maxAgeMs = 300_000 } = options
  const { maxStaleMs = 3_600_000, timeoutMs = 5_000, fetch: get = fetch, now = Date.now } = options
  return new RemoteKeys({
    url: jwksUrl,
    headers,
    cooldownMs,
    maxAgeMs,
    maxStaleMs,
    timeoutMs,
    fetch: get,
    now,
  })
}
