import { ClaimsCache } from './claims-cache.ts'
import {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './token-verifier.ts'

export type TenantName = { projectId: string; environment: string }

export type VerifierPoolOptions = {
  /** What differs between tenants. */
  optionsOf: (tenant: TenantName) => TokenVerifierOptions
  /** Tenants whose keys are kept. */
  maxTenants?: number
  /** Tokens of all of them together whose claims are kept. */
  maxTokens?: number
}

export type VerifierPool = { of(tenant: TenantName): TokenVerifier }

/** One verifier for each project and environment, made when it is first needed; the least used goes. */
export function createVerifierPool(options: VerifierPoolOptions): VerifierPool {
  const { optionsOf, maxTenants = 1_000, maxTokens = 20_000 } = options
  const cache = new ClaimsCache(maxTokens)
  const verifiers = new Map<string, TokenVerifier>()
  return {
    of(tenant) {
      const key = JSON.stringify([tenant.projectId, tenant.environment])
      const verifier = verifiers.get(key) ?? createTokenVerifier({ cache, ...optionsOf(tenant) })
      verifiers.delete(key)
      const [oldest] = verifiers.keys()
      if (verifiers.size >= maxTenants && oldest !== undefined) verifiers.delete(oldest)
      verifiers.set(key, verifier)
      return verifier
    },
  }
}
