import type { Me, UserSession } from '@surehook/contracts/http/account'
import type { UserChange } from '@surehook/contracts/http/admin/users'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { Page } from '@surehook/service-kit/http/cursor'
import type { AccessClaims } from '@surehook/token-verifier'
import type { Client } from '../accounts/accounts.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { ChangeOrigin } from '../users/user-changes.ts'

/** The user and the session of the access token. */
export type Caller = { tenant: Tenant; claims: Pick<AccessClaims, 'sub' | 'sid'> }

export type NamesChange = Pick<UserChange, 'firstName' | 'lastName'>
export type PasswordChange = { oldPassword: string; newPassword: string }

/**
 * The operations of users on their own account. Each rejects with AUTH_TOKEN_INVALID if the user is
 * deleted or disabled.
 */
export type SelfService = {
  me(caller: Caller): Promise<Me>
  updateMe(caller: Caller, change: NamesChange, origin: ChangeOrigin): Promise<Me>
  /** Ends every session but the caller's. Resolves when every verifier can know. */
  changePassword(caller: Caller, change: PasswordChange, client: Client): Promise<void>
  /** Returns the rules of the tenant that the given fields break. It needs no credential. */
  changeFaults(tenant: Tenant, given: Partial<PasswordChange>): readonly RuledViolation[]
  listSessions(
    caller: Caller,
    page: Page,
  ): Promise<{ sessions: UserSession[]; nextCursor: string | null }>
  /** Throws SESSION_NOT_FOUND if the user has no such session. */
  endSession(caller: Caller, id: string): Promise<void>
}
