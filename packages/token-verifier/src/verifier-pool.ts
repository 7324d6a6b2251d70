import { LRUCache } from 'lru-cache'
import { FailedTokens } from './failed-tokens.ts'
import { TokenMemory } from './token-memory.ts'
import {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './token-verifier.ts'

export type TenantName = { projectId: string; environment: string }

export type VerifierPoolOptions = {
  /** Returns the options that differ between tenants. */
  optionsOf: (tenant: TenantName) => TokenVerifierOptions
  /** Most tenants whose keys are cached. */
  maxTenants?: number
  /** Most cached tokens of all tenants together. */
  maxTokens?: number
  /** Most invalid encrypted tokens of one client per minute, over all tenants. */
  maxFailedPerMinute?: number
}

export type VerifierPool = {
  /**
   * Returns the verifier of a tenant, which must exist. A tenant that a stranger made up would
   * evict the keys of a real one.
   * @param keyEpoch keys and tokens learnt under another epoch are dropped
   */
  of(tenant: TenantName, keyEpoch?: number): TokenVerifier
}

/**
 * Keeps one verifier per project and environment, created on first use. The least recently used is
 * dropped first.
 */
export function createVerifierPool(options: VerifierPoolOptions): VerifierPool {
  const { optionsOf, maxTenants = 1_000, maxTokens = 20_000, maxFailedPerMinute = 100 } = options
  const failed = new FailedTokens({ maxPerMinute: maxFailedPerMinute })
  const memory = new TokenMemory(maxTokens, failed)
  const verifiers = new LRUCache<string, { verifier: TokenVerifier; keyEpoch: number }>({
    max: maxTenants,
  })
  return {
    of(tenant, keyEpoch = 0) {
      const key = JSON.stringify([tenant.projectId, tenant.environment])
      const known = verifiers.get(key)
      if (known?.keyEpoch === keyEpoch) return known.verifier
      const verifier = createTokenVerifier({ memory, ...optionsOf(tenant) })
      verifiers.set(key, { verifier, keyEpoch })
      return verifier
    },
  }
}
