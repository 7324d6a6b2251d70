export { type AccessClaims, readClaims, requireUnexpired } from './claims.ts'
export { ClaimsCache } from './claims-cache.ts'
export { FailedTokens } from './failed-tokens.ts'
export { createIntrospection, type Introspect } from './introspection.ts'
export { bearerToken, claimsOf, requireAccessToken } from './require-access-token.ts'
export {
  invalidToken,
  TokenError,
  TooManyTokensError,
  VerifierUnavailableError,
} from './token-error.ts'
export { tokenForm } from './token-form.ts'
export { TokenMemory } from './token-memory.ts'
export {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './token-verifier.ts'
export { createVerifierPool, type TenantName, type VerifierPool } from './verifier-pool.ts'
export { type VerifyKeys, verifyAccessJws } from './verify-jws.ts'
