import { boundedBy } from '../bounded.ts'
import type { AccessClaims } from '../claims/claims.ts'
import { type FreshnessPolicy, standing } from '../claims/freshness.ts'
import type { Introspect } from '../introspection.ts'
import { isKid } from '../keys/key-set.ts'
import { invalidToken, TokenError, VerifierUnavailableError } from '../token-error.ts'
import { tokenForm } from '../token-form.ts'
import type { KnownToken, TokenMemory } from '../token-memory.ts'
import { Semaphore } from './semaphore.ts'

export type EncryptedTokensOptions = {
  introspect: Introspect
  /** Makes claims of the issuer's answer, or throws a `TokenError`. */
  readAnswer: (answer: unknown) => AccessClaims
  memory: TokenMemory
  policy: FreshnessPolicy
  timeoutMs: number
  now: () => number
}

type Encrypted = Extract<KnownToken, { kind: 'encrypted' }>

/** Questions to the issuer at once, and waiting for their turn. */
const maxInside = 8
const maxWaiting = 500
/** A token that was refused is not asked about again for so long. */
const refusedMs = 5_000

/**
 * Claims of tokens that only their issuer can read. It is asked about each of them once at a time, about few of them
 * at once, and again before an answer is older than a key set may be.
 */
export class EncryptedTokens {
  readonly #options: EncryptedTokensOptions
  readonly #turns: Semaphore
  readonly #asking = new Map<string, Promise<AccessClaims>>()

  constructor(options: EncryptedTokensOptions) {
    this.#options = options
    this.#turns = new Semaphore({ maxInside, maxWaiting, maxWaitMs: options.timeoutMs })
  }

  /** Of a token that is not known. Rejects with a `TooManyTokensError` when too many of its client were not good. */
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

  /** Of one that is known: what the issuer last said, or what it says now. */
  async renewed(hash: string, token: string, known: Encrypted): Promise<AccessClaims> {
    const { policy, now } = this.#options
    const state = standing(known.asked, policy, now())
    if (state === 'good') return known.claims
    const asking = this.#ask(hash, token)
    if (state === 'renew') {
      // Whatever comes of it counts from the next request on: `#ask` writes it down.
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
      const answer = await this.#turns.take(() => {
        // Others of this client may have failed while it waited.
        this.#assertBelowLimit(client)
        askedAt = now()
        return boundedBy(timeoutMs, introspect(token), 'The issuer did not answer in time')
      })
      const claims = readAnswer(answer)
      const asked = { answeredAt: askedAt, triedAt: now() }
      memory.known.set(hash, { kind: 'encrypted', claims, asked })
      return claims
    } catch (err) {
      // A token that has expired was the issuer's own.
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

/** RSA-OAEP-256 with A256GCM, or it is none of our issuer's and costs it nothing. */
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
