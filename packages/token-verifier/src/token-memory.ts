import type { CryptoKey } from 'jose'
import { LRUCache } from 'lru-cache'
import type { AccessClaims } from './claims/claims.ts'
import type { Asked } from './claims/freshness.ts'
import { FailedTokens } from './encrypted/failed-tokens.ts'
import type { TokenErrorCode } from './token-error.ts'

/** `key`: the very one that the signature was verified with. `asked`: when the issuer said so. */
export type KnownToken =
  | { kind: 'signed'; claims: AccessClaims; kid: string; key: CryptoKey }
  | { kind: 'encrypted'; claims: AccessClaims; asked: Asked }

export type RefusedToken = { code: TokenErrorCode; at: number }

/** What is known of tokens, by their hashes, and of who shows them; refused tokens push out no good ones. */
export class TokenMemory {
  readonly known: LRUCache<string, KnownToken>
  readonly refused: LRUCache<string, RefusedToken>
  readonly failed: FailedTokens

  constructor(maxTokens: number, failed = new FailedTokens()) {
    this.known = new LRUCache({ max: maxTokens })
    this.refused = new LRUCache({ max: maxTokens })
    this.failed = failed
  }
}
