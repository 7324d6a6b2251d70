import { randomUUID } from 'node:crypto'
import { boundedBy } from './bounded.ts'
import { type AccessClaims, readClaims, requireUnexpired } from './claims/claims.ts'
import { ClaimsCache } from './claims/claims-cache.ts'
import type { FreshnessPolicy } from './claims/freshness.ts'
import { EncryptedTokens } from './encrypted/encrypted-tokens.ts'
import type { Introspect } from './introspection.ts'
import { accessKid, type VerifyKeys, verifyAccessJws } from './jws/verify-jws.ts'
import { RemoteKeys } from './keys/remote-keys.ts'
import { invalidToken, VerifierUnavailableError } from './token-error.ts'
import { requireTokenLength, tokenForm } from './token-form.ts'
import { TokenMemory } from './token-memory.ts'

export type TokenVerifierOptions = {
  /** `{base URL}/auth/.well-known/jwks.json` */
  jwksUrl: string | URL
  /** Sent with the request for keys: `X-Project-Id` and `environment`. */
  headers?: Readonly<Record<string, string>>
  /** `{base URL}/auth/{project}/{environment}` */
  issuer: string
  /** `{project}/{environment}` */
  audience: string
  /**
   * Asked for every token on every request. Rejects when that cannot be known; an answer that is neither `true` nor
   * `false`, or none within `timeoutMs`, counts as that.
   */
  isRevoked: (claims: AccessClaims) => boolean | Promise<boolean>
  /** Reads encrypted tokens, which without it are refused. */
  introspect?: Introspect
  /** Between two requests for keys, of which some are not known. */
  cooldownMs?: number
  /** Keys, and what the issuer said of encrypted tokens, are asked for again beside the requests from this age on. */
  refreshAfterMs?: number
  /** How long a key that the issuer has withdrawn, and tokens under it, can count while the issuer answers. */
  maxAgeMs?: number
  /** The same while it does not. */
  maxStaleMs?: number
  timeoutMs?: number
  /** Shared by the verifiers of a process. */
  memory?: TokenMemory
  fetch?: typeof fetch
  now?: () => number
}

export type TokenVerifier = {
  /**
   * The claims of a token that is good now. Rejects with a `TokenError` for one that is not, and with
   * `VerifierUnavailableError` when that cannot be known.
   *
   * @param client who shows it. Rejects with a `TooManyTokensError` when too many encrypted tokens of the same client
   * were not good and this one is not known; without a client there is no such limit.
   */
  verify(token: string, client?: string): Promise<AccessClaims>
}

const cachedTokens = 10_000
const defaultTimeoutMs = 5_000

/** Verifies the access tokens of one project and environment. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, audience, isRevoked, timeoutMs = defaultTimeoutMs, now = Date.now } = options
  const { memory = new TokenMemory(cachedTokens) } = options
  // Shared memory is one of tokens: what another verifier learnt, even of the same tenant, is nothing to this one.
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
    // A key that was withdrawn takes what it signed with it.
    if (known.kind === 'signed' && (await keys.keyOf(known.kid)) === known.key) return known.claims
    memory.known.delete(hash)
    return readNew(hash, token, client)
  }

  return {
    async verify(token, client) {
      const claims = await claimsOf(token, client)
      if (await askRevoked(isRevoked, claims, timeoutMs)) throw invalidToken('revoked')
      // Whatever took its time, the claims are good at the end of it.
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

/** Whatever keeps it from an answer, the token is neither good nor bad. */
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

/** Ages are measured by a clock that nobody sets. */
const ageClock = ({ now = () => performance.now() }: TokenVerifierOptions) => now

function policyOf(options: TokenVerifierOptions): FreshnessPolicy {
  const { cooldownMs = 30_000, maxAgeMs = 300_000, maxStaleMs = 3_600_000 } = options
  const { refreshAfterMs = maxAgeMs / 2 } = options
  return {
    // Nothing of the policy may keep a question back that `maxAgeMs` promises.
    cooldownMs: Math.min(cooldownMs, maxAgeMs, maxStaleMs),
    refreshAfterMs,
    maxAgeMs,
    maxStaleMs: Math.max(maxStaleMs, maxAgeMs),
  }
}
