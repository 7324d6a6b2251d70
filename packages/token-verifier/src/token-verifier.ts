import { randomUUID } from 'node:crypto'
import { boundedBy } from './bounded.ts'
import { type AccessClaims, readClaims, requireUnexpired } from './claims/claims.ts'
import { ClaimsCache } from './claims/claims-cache.ts'
import type { FreshnessPolicy } from './claims/freshness.ts'
import { EncryptedTokens } from './encrypted/encrypted-tokens.ts'
import type { Introspect } from './introspection.ts'
import { accessKid, verifyAccessJws } from './jws/verify-jws.ts'
import type { VerifyKeys } from './keys/key-set.ts'
import { RemoteKeys } from './keys/remote-keys.ts'
import { invalidToken, VerifierUnavailableError } from './token-error.ts'
import { requireTokenLength, tokenForm } from './token-form.ts'
import { TokenMemory } from './token-memory.ts'

export type TokenVerifierOptions = {
  /** `{base URL}/auth/.well-known/jwks.json` */
  jwksUrl: string | URL
  /** Headers of the key request: `X-Project-Id` and `environment`. */
  headers?: Readonly<Record<string, string>>
  /** `{base URL}/auth/{project}/{environment}` */
  issuer: string
  /** `{project}/{environment}` */
  audience: string
  /**
   * Called for every token on every request. A rejection, a result that is not a boolean, and no
   * result within `timeoutMs` all mean that revocation is unknown.
   */
  isRevoked: (claims: AccessClaims) => boolean | Promise<boolean>
  /** Introspects encrypted tokens. Without it they are refused. */
  introspect?: Introspect
  /** Milliseconds between two key requests that unknown keys cause. */
  cooldownMs?: number
  /**
   * Age in milliseconds from which keys and introspection answers are renewed in the background.
   */
  refreshAfterMs?: number
  /**
   * Milliseconds for which a withdrawn key and its tokens can stay valid while the issuer answers.
   */
  maxAgeMs?: number
  /** The same limit while the issuer does not answer. */
  maxStaleMs?: number
  timeoutMs?: number
  /** Cache that the verifiers of a process share. */
  memory?: TokenMemory
  fetch?: typeof fetch
  now?: () => number
}

export type TokenVerifier = {
  /**
   * Resolves with the claims of a valid token. Rejects with a `TokenError` for an invalid one, and
   * with `VerifierUnavailableError` when it cannot be checked.
   *
   * @param client the client that sent the token. Rejects with a `TooManyTokensError` when it has
   *   sent too many invalid encrypted tokens and this one is unknown. Without a client there is no
   *   such limit.
   */
  verify(token: string, client?: string): Promise<AccessClaims>
}

const cachedTokens = 10_000
const defaultTimeoutMs = 5_000

/** Creates a verifier for the access tokens of one project and environment. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience, isRevoked, timeoutMs = defaultTimeoutMs, now = Date.now } = options
  const { memory = new TokenMemory(cachedTokens) } = options
  // Verifiers share the memory but not its entries: even one of the same tenant must not use
  // another's results.
  const scope = JSON.stringify([issuer, audience, randomUUID()])
  const expected = () => ({ issuer, audience, nowMs: now() })
  const keys = remoteKeys(options)
  const encrypted = encryptedTokens(options, memory, (answer) => readClaims(answer, expected()))

  async function readSigned(hash: string, token: string): Promise<AccessClaims> {
    const { claims, kid, key } = await verifySigned(token, keys, expected)
    memory.known.set(hash, { kind: 'signed', claims, kid, key })
    return claims
  }

  async function readNew(hash: string, token: string, client?: string): Promise<AccessClaims> {
    if (tokenForm(token).kind === 'jws') return readSigned(hash, token)
    if (encrypted === null) throw invalidToken('encrypted')
    return encrypted.read(hash, token, client)
  }

  async function claimsOf(token: string, client?: string): Promise<AccessClaims> {
    requireTokenLength(token)
    const hash = ClaimsCache.keyOf(scope, token)
    const known = memory.known.get(hash)
    if (known === undefined) return readNew(hash, token, client)
    requireUnexpired(known.claims, now())
    if (known.kind === 'encrypted' && encrypted !== null) {
      return encrypted.renewed(hash, token, known)
    }
    // A withdrawn key invalidates the tokens that it signed.
    if (known.kind === 'signed' && (await keys.keyOf(known.kid)) === known.key) return known.claims
    memory.known.delete(hash)
    return readNew(hash, token, client)
  }

  return {
    async verify(token, client) {
      const claims = await claimsOf(token, client)
      if (await askRevoked(isRevoked, claims, timeoutMs)) throw invalidToken('revoked')
      // Checks expiry again, because the checks before may have taken long.
      requireUnexpired(claims, now())
      return claims
    },
  }
}

async function verifySigned(
  token: string,
  keys: VerifyKeys,
  expected: () => Parameters<typeof readClaims>[1],
) {
  const kid = accessKid(tokenForm(token).header)
  const key = await keys.keyOf(kid)
  if (key === null) throw invalidToken('unknown key')
  const claims = await verifyAccessJws(token, { keyOf: async () => key }, expected())
  return { claims, kid, key }
}

/** An error or a timeout leaves the token unjudged. */
async function askRevoked(
  isRevoked: TokenVerifierOptions['isRevoked'],
  claims: AccessClaims,
  timeoutMs: number,
): Promise<boolean> {
  try {
    const asked = isRevoked(claims)
    const late = 'Revocations were not answered in time'
    const revoked: unknown =
      typeof asked === 'boolean' ? asked : await boundedBy(timeoutMs, asked, late)
    if (typeof revoked === 'boolean') return revoked
    throw new TypeError('isRevoked answered neither true nor false')
  } catch (err) {
    throw new VerifierUnavailableError('Revocations cannot be read', { cause: err })
  }
}

function remoteKeys(options: TokenVerifierOptions): RemoteKeys {
  const { jwksUrl, headers, timeoutMs = defaultTimeoutMs, fetch: get = fetch } = options
  return new RemoteKeys({
    ...policyOf(options),
    url: jwksUrl,
    headers,
    timeoutMs,
    fetch: get,
    now: ageClock(options),
  })
}

function encryptedTokens(
  options: TokenVerifierOptions,
  memory: TokenMemory,
  readAnswer: (answer: unknown) => AccessClaims,
): EncryptedTokens | null {
  const { introspect, timeoutMs = defaultTimeoutMs } = options
  if (introspect === undefined) return null
  const policy = policyOf(options)
  const now = ageClock(options)
  return new EncryptedTokens({ introspect, readAnswer, memory, policy, timeoutMs, now })
}

/** Ages need a monotonic clock. */
const ageClock = ({ now = () => performance.now() }: TokenVerifierOptions) => now

function policyOf(options: TokenVerifierOptions): FreshnessPolicy {
  const { cooldownMs = 30_000, maxAgeMs = 300_000, maxStaleMs = 3_600_000 } = options
  const { refreshAfterMs = maxAgeMs / 2 } = options
  return {
    // The cooldown must not delay a request that `maxAgeMs` requires.
    cooldownMs: Math.min(cooldownMs, maxAgeMs, maxStaleMs),
    refreshAfterMs,
    maxAgeMs,
    maxStaleMs: Math.max(maxStaleMs, maxAgeMs),
  }
}
