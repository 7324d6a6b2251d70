import type { Audit } from '@surehook/access/audit/audit'
import type * as account from '@surehook/contracts/http/account'
import type { Me, PublicSettings, UserSession } from '@surehook/contracts/http/account'
import type * as operations from '@surehook/contracts/http/auth'
import type { LoggedIn, TokenPair } from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { Page } from '@surehook/service-kit/http/cursor'
import type * as z from 'zod'
import type { Accounts, Client } from '../accounts/accounts.ts'
import type { JwksAnswer } from '../keys/jwks.ts'
import { pickLocale } from '../mail/pick-locale.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { Caller, SelfService } from '../self-service/self-service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AccessTokens } from '../sessions/tokens/access-token.ts'
import type { ChangeOrigin } from '../users/user-changes.ts'
import { publicSettings } from './public-settings.ts'

/** The tenant, the client and the headers of a request; the same for REST and GraphQL. */
export type Call = {
  tenant: Tenant
  client: Client
  origin: ChangeOrigin
  authorization: string | undefined
  acceptLanguage: string | undefined
  audit: Audit
  /**
   * Told whose access token was good: the audit trail names the user of a call that fails
   * afterwards.
   */
  identify: (userId: string) => void
}

type BodyOf<Op extends Operation> = Op['body'] extends z.ZodType ? z.output<Op['body']> : undefined

type UseCase<Op extends Operation, Result> = (body: BodyOf<Op>, call: Call) => Promise<Result>

/** Checks the given fields against the tenant's rules. */
export type RuleFaults<Op extends Operation> = (
  given: Partial<BodyOf<Op>>,
  call: Call,
) => Promise<readonly RuledViolation[]>

type Message = { message: string }
/** The reply schema removes `userId`, which only the audit trail needs. */
type UserMessage = Message & { userId: string }
type SessionPage = { sessions: UserSession[]; nextCursor: string | null }

/** The use cases of users. REST and GraphQL call the same ones. */
export type AuthApi = {
  signup: UseCase<typeof operations.signup, { userId: string; message: string }>
  confirmSignup: UseCase<typeof operations.confirmSignup, LoggedIn>
  resendCode: UseCase<typeof operations.resendCode, Message>
  login: UseCase<typeof operations.login, LoggedIn>
  recoverPassword: UseCase<typeof operations.recoverPassword, Message>
  resetPassword: UseCase<typeof operations.resetPassword, UserMessage>
  refreshToken: UseCase<typeof operations.refreshToken, TokenPair>
  logout: UseCase<typeof operations.logout, UserMessage>
  jwks: (tenant: Tenant) => Promise<JwksAnswer>
  settings: (tenant: Tenant) => PublicSettings
  me: UseCase<typeof account.getMe, Me>
  updateMe: UseCase<typeof account.updateMe, Me>
  changePassword: UseCase<typeof account.changePassword, UserMessage>
  listSessions: (page: Page, call: Call) => Promise<SessionPage>
  endSession: (params: { id: string }, call: Call) => Promise<void>
  /** Asked when the schemas found faults, so that one answer names those of every field. */
  ruleFaults: {
    signup: RuleFaults<typeof operations.signup>
    resetPassword: RuleFaults<typeof operations.resetPassword>
    changePassword: RuleFaults<typeof account.changePassword>
  }
}

export type AuthApiDeps = {
  accounts: Accounts
  selfService: SelfService
  sessions: Pick<Sessions, 'refresh' | 'logout'>
  accessTokens: Pick<AccessTokens, 'authenticate'>
  jwks: (tenant: Tenant) => Promise<JwksAnswer>
}

export function createAuthApi(deps: AuthApiDeps): AuthApi {
  const { accounts, selfService, sessions, accessTokens, jwks } = deps
  const callerOf = async (call: Call): Promise<Caller> => {
    const { tenant, authorization, client } = call
    const claims = await accessTokens.authenticate(tenant, authorization, client)
    call.identify(claims.sub)
    return { tenant, claims }
  }
  return {
    signup: (input, call) =>
      accounts.signup(
        call.tenant,
        { ...input, locale: localeOf(input.locale, call) },
        call.client,
        call.origin,
      ),
    confirmSignup: (input, { tenant, client, origin }) =>
      accounts.confirmSignup(tenant, input, client, origin),
    resendCode: (input, { tenant, client }) => accounts.resendCode(tenant, input, client),
    login: (input, { tenant, client }) => accounts.login(tenant, input, client),
    recoverPassword: (input, { tenant, client }) => accounts.recoverPassword(tenant, input, client),
    resetPassword: (input, { tenant, client, origin }) =>
      accounts.resetPassword(tenant, input, client, origin),
    refreshToken: (input, { tenant, audit }) => sessions.refresh(tenant, input.refreshToken, audit),
    async logout(_, { tenant, authorization, client }) {
      const claims = await accessTokens.authenticate(tenant, authorization, client)
      await sessions.logout(tenant, claims)
      return { message: 'You are logged out', userId: claims.sub }
    },
    jwks,
    settings: ({ settings }) => publicSettings(settings),
    me: async (_, call) => selfService.me(await callerOf(call)),
    updateMe: async (change, call) =>
      selfService.updateMe(await callerOf(call), change, call.origin),
    async changePassword(change, call) {
      const caller = await callerOf(call)
      await selfService.changePassword(caller, change, call.client)
      return { message: 'The password is changed', userId: caller.claims.sub }
    },
    listSessions: async (page, call) => selfService.listSessions(await callerOf(call), page),
    endSession: async ({ id }, call) => selfService.endSession(await callerOf(call), id),
    ruleFaults: {
      signup: ({ locale: _, ...given }, { tenant, client }) =>
        accounts.signupFaults(tenant, given, client),
      resetPassword: async (given, { tenant }) => accounts.resetFaults(tenant, given),
      changePassword: async (given, { tenant }) => selfService.changeFaults(tenant, given),
    },
  }
}

/**
 * Returns the language that the signup names. Otherwise it returns the browser's, unless the
 * environment sets one.
 */
function localeOf(given: string | null | undefined, { tenant, acceptLanguage }: Call) {
  return pickLocale(given) ?? (tenant.hasMailLocale ? null : pickLocale(acceptLanguage))
}
