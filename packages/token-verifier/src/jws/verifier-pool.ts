import { LRUCache } from 'lru-cache'
import { FailedTokens } from '../encrypted/failed-tokens.ts'
import { TokenMemory } from '../token-memory.ts'
import {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from '../token-verifier.ts'

export type TenantName = { projectId: string; environment: string }

export type VerifierPoolOptions = {
  /** What differs between tenants. */
  optionsOf: (tenant: TenantName) => TokenVerifierOptions
  /** Tenants whose keys are kept. */
  maxTenants?: number
  /** Tokens of all of them together whose claims are kept. */
  maxTokens?: number
  /** Encrypted tokens of one client that may turn out not to be good, in a minute, over all tenants. */
  maxFailedPerMinute?: number
}

export type VerifierPool = {
  /**
   * Of a tenant that exists: for one that a stranger made up, keys of another would be forgotten.
   * @param keyEpoch what was learnt under another one, keys and tokens, is forgotten
   */
  of(tenant: TenantName, keyEpoch?: number): TokenVerifier
}

/** One verifier for each project and environment, made when it is first needed; the least used goes. */
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
