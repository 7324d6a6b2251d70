export { type AccessClaims, readClaims, requireUnexpired } from './claims/claims.ts'
export { ClaimsCache } from './claims/claims-cache.ts'
export { FailedTokens } from './encrypted/failed-tokens.ts'
export { bearerToken, claimsOf, requireAccessToken } from './express/require-access-token.ts'
export { createIntrospection, type Introspect } from './introspection.ts'
export { createVerifierPool, type TenantName, type VerifierPool } from './jws/verifier-pool.ts'
export { type VerifyKeys, verifyAccessJws } from './jws/verify-jws.ts'
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
