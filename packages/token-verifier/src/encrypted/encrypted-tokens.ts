import { boundedBy } from '../bounded.ts'
import type { AccessClaims } from '../claims/claims.ts'
import { type FreshnessPolicy, standing } from '../claims/freshness.ts'
import type { Introspect } from '../introspection.ts'
import { isKid } from '../keys/key-set.ts'
import { invalidToken, TokenError, VerifierUnavailableError } from '../token-error.ts'
import { tokenForm } from '../token-form.ts'
import type { KnownToken, TokenMemory } from '../token-memory.ts'
import { Slots } from './slots.ts'

export type EncryptedTokensOptions = {
  introspect: Introspect
  /** Converts the issuer's answer to claims, or throws a `TokenError`. */
  readAnswer: (answer: unknown) => AccessClaims
  memory: TokenMemory
  policy: FreshnessPolicy
  timeoutMs: number
  now: () => number
}

type EncryptedToken = Extract<KnownToken, { kind: 'encrypted' }>

/** Concurrent requests to the issuer, and callers that may wait for one. */
const maxConcurrent = 8
const maxWaiting = 500
/** Milliseconds for which a refused token is refused again without a request. */
const refusedMs = 5_000

/**
 * Verifies tokens that only their issuer can decrypt. It asks the issuer once at a time per token,
 * with at most `maxConcurrent` requests at once. It asks again before an answer is older than a key set
 * may be.
 */
export class EncryptedTokens {
  readonly #options: EncryptedTokensOptions
  readonly #slots: Slots
  readonly #asking = new Map<string, Promise<AccessClaims>>()

  constructor(options: EncryptedTokensOptions) {
    this.#options = options
    this.#slots = new Slots({ room: maxConcurrent, maxWaiting, maxWaitMs: options.timeoutMs })
  }

  /**
   * Verifies an unknown token. Rejects with a `TooManyTokensError` when too many tokens of its
   * client were invalid.
   */
  async read(hash: string, token: string, client: string | undefined): Promise<AccessClaims> {
    requireOurForm(token)
    const { memory, now } = this.#options
    const refused = memory.refused.get(hash)
    if (refused !== undefined && now() - refused.at < refusedMs) {
      throw new TokenError(refused.code, 'The token was refused a moment ago')
    }
    this.#assertBelowLimit(client)
    return this.#ask(hash, token, client)
  }

  /** Verifies a known token by the last answer of the issuer, or by a new one. */
  async renewed(hash: string, token: string, known: EncryptedToken): Promise<AccessClaims> {
    const { policy, now } = this.#options
    const state = standing(known.asked, policy, now())
    if (state === 'good') return known.claims
    const asking = this.#ask(hash, token)
    if (state === 'renew') {
      // The result applies from the next request on: `#ask` stores it.
      asking.catch(() => {})
      return known.claims
    }
    try {
      return await asking
    } catch (err) {
      if (state === 'wait' && err instanceof VerifierUnavailableError) return known.claims
      throw err
    }
  }

  #ask(hash: string, token: string, client?: string): Promise<AccessClaims> {
    const running = this.#asking.get(hash)
    if (running !== undefined) return running
    const asking = this.#answer(hash, token, client).finally(() => this.#asking.delete(hash))
    this.#asking.set(hash, asking)
    return asking
  }

  async #answer(hash: string, token: string, client: string | undefined): Promise<AccessClaims> {
    const { memory, now, introspect, readAnswer, timeoutMs } = this.#options
    let askedAt = now()
    try {
      const answer = await this.#slots.run(() => {
        // Other tokens of this client may have failed during the wait.
        this.#assertBelowLimit(client)
        askedAt = now()
        return boundedBy(timeoutMs, introspect(token), 'The issuer did not answer in time')
      })
      const claims = readAnswer(answer)
      const asked = { answeredAt: askedAt, triedAt: now() }
      memory.known.set(hash, { kind: 'encrypted', claims, asked })
      return claims
    } catch (err) {
      // An expired token came from the issuer, so it does not count as a failure.
      if (client !== undefined && err instanceof TokenError && err.code === 'AUTH_TOKEN_INVALID') {
        memory.failed.count(client)
      }
      this.#noteFailure(hash, err)
      throw err
    }
  }

  #assertBelowLimit(client: string | undefined): void {
    if (client !== undefined) this.#options.memory.failed.assertBelowLimit(client)
  }

  #noteFailure(hash: string, err: unknown): void {
    const { memory, now } = this.#options
    if (err instanceof TokenError) {
      memory.known.delete(hash)
      memory.refused.set(hash, { code: err.code, at: now() })
      return
    }
    const known = memory.known.get(hash)
    if (known?.kind !== 'encrypted') return
    const asked = { ...known.asked, triedAt: now() }
    memory.known.set(hash, { ...known, asked })
  }
}

const initialisationVectorLength = 16
const tagLength = 22

/**
 * Throws unless the token is RSA-OAEP-256 with A256GCM, so that foreign tokens cause no request to
 * the issuer.
 */
function requireOurForm(token: string): void {
  const { alg, enc, cty, kid } = tokenForm(token).header
  const [, , iv, , tag] = token.split('.')
  const isOurs =
    alg === 'RSA-OAEP-256' &&
    enc === 'A256GCM' &&
    cty === 'JWT' &&
    typeof kid === 'string' &&
    isKid(kid) &&
    iv?.length === initialisationVectorLength &&
    tag?.length === tagLength
  if (!isOurs) throw invalidToken('encryption')
}
