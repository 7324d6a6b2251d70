import type { CryptoKey } from 'jose'
import { LRUCache } from 'lru-cache'
import type { AccessClaims } from './claims/claims.ts'
import type { AskTimes } from './claims/freshness.ts'
import { FailedTokens } from './failed-tokens.ts'
import type { TokenErrorCode } from './token-error.ts'

/** `key`: the key object that verified the signature. `asked`: the times of the issuer's answer. */
export type KnownToken =
  | { kind: 'signed'; claims: AccessClaims; kid: string; key: CryptoKey }
  | { kind: 'encrypted'; claims: AccessClaims; asked: AskTimes }

export type RefusedToken = { code: TokenErrorCode; at: number }

/**
 * Cache of tokens by their hashes, and of failures by client. Refused tokens cannot evict valid
 * ones.
 */
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
