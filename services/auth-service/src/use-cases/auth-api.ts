import type * as account from '@surehook/contracts/http/account'
import type { PublicSettings } from '@surehook/contracts/http/account'
import type * as operations from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import type { RuledViolation } from '@surehook/contracts/problem'
import type * as z from 'zod'
import type { JwksAnswer } from '../keys/jwks.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { Call } from './call.ts'

type ParsedInput<Schema> = Schema extends z.ZodType ? z.output<Schema> : never

/** The only part of the request that the operation reads. Over GraphQL it is the arguments. */
export type InputOf<Op extends Operation> =
  | ParsedInput<Op['body']>
  | ParsedInput<Op['query']>
  | ParsedInput<Op['params']> extends infer Input
  ? [Input] extends [never]
    ? undefined
    : Input
  : never

/** Emails in the input are normalised. Use cases count the limits themselves. */
export type UseCase<Op extends Operation, More = unknown> = (
  input: InputOf<Op>,
  call: Call,
) => Promise<z.input<Op['reply']['schema']> & More>

/**
 * Returns the rules of the tenant that the given fields break. It is asked when the schemas found
 * faults, so that one answer names the faults of every field.
 */
export type RuleFaults<Op extends Operation> = (
  given: Partial<InputOf<Op>>,
  call: Call,
) => Promise<readonly RuledViolation[]>

/** The reply schema removes it: only the audit trail needs it. */
type AuditedUser = { userId: string }

/** The use cases of users. REST and GraphQL call the same ones. */
export type AuthApi = {
  signup: UseCase<typeof operations.signup>
  signupFaults: RuleFaults<typeof operations.signup>
  confirmSignup: UseCase<typeof operations.confirmSignup>
  resendCode: UseCase<typeof operations.resendCode>
  login: UseCase<typeof operations.login>
  recoverPassword: UseCase<typeof operations.recoverPassword>
  resetPassword: UseCase<typeof operations.resetPassword, AuditedUser>
  /** Runs only the checks that need no valid code. */
  resetFaults: RuleFaults<typeof operations.resetPassword>
  refreshToken: UseCase<typeof operations.refreshToken>
  logout: UseCase<typeof operations.logout, AuditedUser>
  jwks: (tenant: Tenant) => Promise<JwksAnswer>
  settings: (tenant: Tenant) => PublicSettings
  me: UseCase<typeof account.getMe>
  updateMe: UseCase<typeof account.updateMe>
  changePassword: UseCase<typeof account.changePassword, AuditedUser>
  /** Needs no credential. */
  changeFaults: RuleFaults<typeof account.changePassword>
  listSessions: UseCase<typeof account.listSessions>
  endSession: UseCase<typeof account.endSession>
}
