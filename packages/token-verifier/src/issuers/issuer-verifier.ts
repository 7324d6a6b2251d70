import { randomUUID } from 'node:crypto'
import type { CryptoKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { requireUnexpired } from '../claims/claims.ts'
import { ClaimsCache } from '../claims/claims-cache.ts'
import { Slots } from '../encrypted/slots.ts'
import { FailedTokens } from '../failed-tokens.ts'
import { requireSignature } from '../jws/verify-jws.ts'
import { RemoteKeys } from '../keys/remote-keys.ts'
import { invalidToken, TokenError } from '../token-error.ts'
import { requireTokenLength, tokenForm, tokenPayload } from '../token-form.ts'
import {
  type ExpectedIssuer,
  type IssuerClaims,
  readIssuerClaims,
  requireAccessType,
} from './issuer-claims.ts'
import { readIssuerKeys, signingKeyOf } from './issuer-keys.ts'

type KnownToken = { claims: IssuerClaims; keyId: string; key: CryptoKey }

/** What the verifiers of a process share: verified tokens by their hashes, and failures by client. */
export class IssuerMemory {
  readonly known: LRUCache<string, KnownToken>
  readonly failed: FailedTokens

  constructor(maxTokens: number, failed = new FailedTokens()) {
    this.known = new LRUCache({ max: maxTokens })
    this.failed = failed
  }
}

export type IssuerVerifierOptions = Omit<ExpectedIssuer, 'rolesClaim' | 'userIdClaim'> & {
  /** The address of the issuer's key set. */
  jwksUrl: string | URL
  /** Headers of the key request. */
  headers?: Readonly<Record<string, string>>
  /** `roles` by default. */
  rolesClaim?: string
  /** `sub` by default. */
  userIdClaim?: string
  /** Milliseconds between two key requests that unknown keys cause. */
  cooldownMs?: number
  /** Milliseconds for which a withdrawn key stays valid while the issuer answers. */
  maxAgeMs?: number
  /** The same limit while the issuer does not answer. */
  maxStaleMs?: number
  timeoutMs?: number
  memory?: IssuerMemory
  fetch?: typeof fetch
  now?: () => number
}

export type IssuerVerifier = {
  /**
   * Resolves with what a valid token says of its user. Rejects with a `TokenError` for an invalid
   * one, with a `TooManyTokensError` after too many bad signatures of the client, and with a
   * `VerifierUnavailableError` if the keys cannot be read.
   */
  verify(token: string, client?: string): Promise<IssuerClaims>
}

/** Signature checks of one verifier at the same time, and callers that may wait for one. */
const maxConcurrent = 8
const maxWaiting = 500

/** Creates a verifier for the access tokens of an OpenID provider. */
export function createIssuerVerifier(options: IssuerVerifierOptions): IssuerVerifier {
  const { issuer, audience, rolesClaim = 'roles', userIdClaim = 'sub' } = options
  const { memory = new IssuerMemory(10_000), timeoutMs = 5_000, now = Date.now } = options
  const expected = { issuer, audience, rolesClaim, userIdClaim }
  const scope = JSON.stringify([issuer, randomUUID()])
  const keys = remoteKeys(options, timeoutMs)
  const slots = new Slots({ room: maxConcurrent, maxWaiting, maxWaitMs: timeoutMs })

  async function readNew(hash: string, token: string, client?: string): Promise<IssuerClaims> {
    const { kind, header } = tokenForm(token)
    if (kind !== 'jws') throw invalidToken('encrypted')
    requireAccessType(header)
    const { alg, keyId } = signingKeyOf(header)
    // Before the signature, so that only a token that could be valid costs a key or a check.
    const claims = readIssuerClaims(tokenPayload(token), expected, now())
    const key = await keys.keyOf(keyId)
    if (key === null) throw invalidToken('unknown key')
    await slots.run(() => checkSignature(token, { key, alg, client }))
    memory.known.set(hash, { claims, keyId, key })
    return claims
  }

  async function checkSignature(
    token: string,
    { key, alg, client }: { key: CryptoKey; alg: string; client: string | undefined },
  ): Promise<void> {
    if (client !== undefined) memory.failed.assertBelowLimit(client)
    try {
      await requireSignature(token, key, alg)
    } catch (err) {
      if (client !== undefined && err instanceof TokenError) memory.failed.count(client)
      throw err
    }
  }

  async function claimsOf(token: string, client?: string): Promise<IssuerClaims> {
    requireTokenLength(token)
    const hash = ClaimsCache.keyOf(scope, token)
    const known = memory.known.get(hash)
    if (known === undefined) return readNew(hash, token, client)
    requireUnexpired(known.claims, now())
    // A withdrawn key invalidates the tokens that it signed.
    if ((await keys.keyOf(known.keyId)) === known.key) return known.claims
    memory.known.delete(hash)
    return readNew(hash, token, client)
  }

  return {
    async verify(token, client) {
      const claims = await claimsOf(token, client)
      // Checks expiry again, because the checks before may have taken long.
      requireUnexpired(claims, now())
      return claims
    },
  }
}

function remoteKeys(options: IssuerVerifierOptions, timeoutMs: number): RemoteKeys {
  const { jwksUrl, headers, fetch: get = fetch, now = () => performance.now() } = options
  const { cooldownMs = 10_000, maxAgeMs = 300_000, maxStaleMs = 3_600_000 } = options
  return new RemoteKeys({
    ...{ url: jwksUrl, headers, timeoutMs, fetch: get, now, readKeys: readIssuerKeys },
    ...{ cooldownMs, refreshAfterMs: maxAgeMs / 2, maxAgeMs, maxStaleMs },
  })
}

/**
 * Returns the issuer that a signed token names, without any check of it, or `null`. Use it to choose
 * a verifier.
 */
export function unverifiedIssuer(token: string): string | null {
  try {
    const { iss } = tokenPayload(token) as { iss?: unknown }
    return typeof iss === 'string' ? iss : null
  } catch (err) {
    if (err instanceof TokenError) return null
    throw err
  }
}
