import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AccessClaims } from './claims.ts'

/**
 * Claims of tokens that were verified, so that the next request with one costs no signature. Only hashes of tokens
 * are kept; expiry, revocation and whether the key still counts are the caller's to check each time.
 */
export class ClaimsCache extends LRUCache<string, AccessClaims> {
  /** @param max how many claims are kept; the least recently used go first */
  constructor(max: number) {
    super({ max })
  }

  /**
   * A token counts in one scope: what is good for one tenant is nothing to another. Where there are several issuers,
   * the scope names the issuer too.
   */
  static keyOf(scope: string, token: string): string {
    return createHash('sha256').update(`${scope}\0${token}`).digest('base64')
  }
}
