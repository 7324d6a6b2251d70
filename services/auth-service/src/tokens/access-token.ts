import type { AccessClaims } from '@surehook/token-verifier'
import type { Tenant } from '../tenant/tenant.ts'

/** Whose token it is; `gen` is the generation of the session's tokens. */
export type AccessSubject = Pick<AccessClaims, 'sub' | 'sid' | 'gen' | 'roles'>

export type AccessTokens = {
  /** A new access token: a JWS, or a JWE when the environment encrypts. */
  issue(tenant: Tenant, subject: AccessSubject): Promise<string>
  /**
   * The claims of the token in `authorization`, which was issued here for this tenant, has not expired and is
   * not revoked; else AUTH_TOKEN_EXPIRED or AUTH_TOKEN_INVALID, and 503 when that cannot be known.
   */
  authenticate(tenant: Tenant, authorization: string | undefined): Promise<AccessClaims>
  /** The same for a token without its scheme. */
  verify(tenant: Tenant, token: string): Promise<AccessClaims>
}
