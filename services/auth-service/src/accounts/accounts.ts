import type { MailLocale } from '@surehook/contracts/http/admin/auth-settings'
import type { PublicUser, TokenPair } from '@surehook/contracts/http/auth'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { Tenant } from '../platform/tenant.ts'
import type { ChangeOrigin } from '../users/user-changes.ts'

/** The client that rate limits count. `clientAddress` gives the address. */
export type Client = { readonly address: string }

export type LoginResult = TokenPair & { user: PublicUser }
export type SignupInput = {
  email: string
  password: string
  firstName: string
  lastName: string
  roleId?: string | null | undefined
  /** The language of mails to the user; `null`: that of the environment. */
  locale?: MailLocale | null
}

export type ResetInput = { email: string; newPassword: string; code: string }

/**
 * The use cases of accounts. Callers pass normalised e-mail addresses; the use cases count the
 * limits.
 */
export type Accounts = {
  signup(
    tenant: Tenant,
    input: SignupInput,
    client: Client,
    origin: ChangeOrigin,
  ): Promise<{ userId: string; message: string }>
  /** Checks the given fields against the tenant's rules. */
  signupFaults(
    tenant: Tenant,
    given: Partial<SignupInput>,
    client: Client,
  ): Promise<readonly RuledViolation[]>
  confirmSignup(
    tenant: Tenant,
    input: { email: string; code: string },
    client: Client,
    origin: ChangeOrigin,
  ): Promise<LoginResult>
  resendCode(tenant: Tenant, input: { email: string }, client: Client): Promise<{ message: string }>
  login(
    tenant: Tenant,
    input: { email: string; password: string },
    client: Client,
  ): Promise<LoginResult>
  recoverPassword(
    tenant: Tenant,
    input: { email: string },
    client: Client,
  ): Promise<{ message: string }>
  resetPassword(
    tenant: Tenant,
    input: ResetInput,
    client: Client,
    origin: ChangeOrigin,
  ): Promise<{ message: string; userId: string }>
  /** Like `signupFaults`, but runs only the checks that need no valid code. */
  resetFaults(tenant: Tenant, given: Partial<ResetInput>): readonly RuledViolation[]
}
