import { createHash } from 'node:crypto'
import type { AccessClaims } from './claims.ts'

/**
 * Claims of tokens that were verified, so that the next request with one costs no signature. Only hashes of tokens
 * are kept; expiry and revocation are the caller's to check each time.
 */
export class ClaimsCache {
  readonly #claims = new Map<string, AccessClaims>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** A token counts for one audience: what is good for one tenant is nothing to another. */
  static keyOf(audience: string, token: string): string {
    return createHash('sha256').update(`${audience}\0${token}`).digest('base64')
  }

  get(key: string): AccessClaims | undefined {
    const claims = this.#claims.get(key)
    if (claims === undefined) return undefined
    // The latest used comes last: the first is the one to forget.
    this.#claims.delete(key)
    this.#claims.set(key, claims)
    return claims
  }

  set(key: string, claims: AccessClaims): void {
    const [oldest] = this.#claims.keys()
    if (this.#claims.size >= this.#max && oldest !== undefined) this.#claims.delete(oldest)
    this.#claims.set(key, claims)
  }

  delete(key: string): void {
    this.#claims.delete(key)
  }
}
