export { type AccessClaims, readClaims, requireUnexpired } from './claims/claims.ts'
export { ClaimsCache } from './claims/claims-cache.ts'
export { bearerToken, claimsOf, requireAccessToken } from './express/require-access-token.ts'
export { FailedTokens } from './failed-tokens.ts'
export { createIntrospection, type Introspect } from './introspection.ts'
export { type IssuerClaims, sameIssuer } from './issuers/issuer-claims.ts'
export {
  createIssuerVerifier,
  IssuerMemory,
  type IssuerVerifier,
  type IssuerVerifierOptions,
  unverifiedIssuer,
} from './issuers/issuer-verifier.ts'
export { verifyAccessJws } from './jws/verify-jws.ts'
export type { VerifyKeys } from './keys/key-set.ts'
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
