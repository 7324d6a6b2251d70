import type { Me, UserSession } from '@surehook/contracts/http/account'
import type { UserChange } from '@surehook/contracts/http/admin/users'
import type { Violation } from '@surehook/contracts/problem'
import type { Page } from '@surehook/service-kit/http/cursor'
import type { AccessClaims } from '@surehook/token-verifier'
import type { Client } from '../accounts/accounts.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { ChangeOrigin } from '../users/user-changes.ts'

/** Whose access token it is, and of which session. */
export type Caller = { tenant: Tenant; claims: Pick<AccessClaims, 'sub' | 'sid'> }

export type NamesChange = Pick<UserChange, 'firstName' | 'lastName'>
export type PasswordChange = { oldPassword: string; newPassword: string }

/** What users do with their own account. Each rejects with AUTH_TOKEN_INVALID when the user is gone or disabled. */
export type SelfService = {
  me(caller: Caller): Promise<Me>
  updateMe(caller: Caller, change: NamesChange, origin: ChangeOrigin): Promise<Me>
  /** Ends every session but the caller's; answers when every verifier can know. */
  changePassword(caller: Caller, change: PasswordChange, client: Client): Promise<void>
  /** What the tenant's rules find wrong with the fields that are given, for anybody to ask. */
  changeFaults(tenant: Tenant, given: Partial<PasswordChange>): readonly Violation[]
  listSessions(
    caller: Caller,
    page: Page,
  ): Promise<{ sessions: UserSession[]; nextCursor: string | null }>
  /** SESSION_NOT_FOUND when the user has no such session. */
  endSession(caller: Caller, id: string): Promise<void>
}
