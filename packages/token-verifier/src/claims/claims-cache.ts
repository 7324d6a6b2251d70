import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AccessClaims } from './claims.ts'

/**
 * Caches claims of verified tokens, so that another request with the same token needs no signature
 * check. It stores only hashes of tokens. The caller must check expiry, revocation and the validity
 * of the key each time.
 */
export class ClaimsCache extends LRUCache<string, AccessClaims> {
  /** @param max most claims to keep. The least recently used are dropped first */
  constructor(max: number) {
    super({ max })
  }

  /**
   * A token is cached per scope, because a token of one tenant is not valid for another. With
   * several issuers, the scope must name the issuer too.
   */
  static keyOf(scope: string, token: string): string {
    return createHash('sha256').update(`${scope}\0${token}`).digest('base64')
  }
}
