import type { TokenPair } from '@surehook/contracts/http/auth'
import type { EmitState } from '@surehook/service-kit/capture/state-writer'
import type { AccessClaims } from '@surehook/token-verifier'
import type { PoolClient } from 'pg'
import type { EndedSessions, EndReason } from '../revocation/revocation.ts'
import type { Tenant } from '../tenant/tenant.ts'
import type { User } from '../users/user.ts'

export type UserOfTenant = { projectId: string; environment: string; userId: string }

export type Sessions = {
  /**
   * A new session, in the caller's transaction. Takes roles from the user's row, which it locks: rejects with
   * AUTH_INVALID_CREDENTIALS when the user was disabled or deleted meanwhile.
   */
  open(tx: PoolClient, tenant: Tenant, user: Pick<User, 'id' | 'roles'>): Promise<TokenPair>
  /** Rejects with AUTH_TOKEN_INVALID; a token that was used already ends its session. */
  refresh(tenant: Tenant, refreshToken: string): Promise<TokenPair>
  /** Ends the session; answers when every verifier can know. */
  logout(tenant: Tenant, claims: Pick<AccessClaims, 'sid'>): Promise<void>
  /** Ends every session of the user, inside a `StateWriter.write`. */
  endAll(
    tx: PoolClient,
    emit: EmitState,
    at: UserOfTenant,
    reason: EndReason,
  ): Promise<EndedSessions>
  /**
   * Ends the access tokens of a user whose roles changed, not the sessions. Call it after the user's row was
   * changed in the same transaction: the sessions take their roles from there.
   */
  endAccessTokens(tx: PoolClient, emit: EmitState, at: UserOfTenant): Promise<EndedSessions>
  /** After the commit: copies what was ended to Redis. Answer success only when it has resolved. */
  blacklist(ended: EndedSessions): Promise<void>
}
