import * as account from '@surehook/contracts/http/account'
import * as operations from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import type { RuledViolation } from '@surehook/contracts/problem'
import { invalid } from '@surehook/service-kit/errors'
import { parsePart, soundFields } from '@surehook/service-kit/http/violations'
import type { AuthApi, InputOf, RuleFaults, UseCase } from '../../use-cases/auth-api.ts'
import type { Call } from '../../use-cases/call.ts'

/** The part of the request that resolvers read. */
export type GraphQLContext = { call: Call }

type Resolve = (args: object, context: GraphQLContext) => Promise<unknown>

/**
 * The resolvers of the root fields. Each field is one REST operation, with the same schemas and use
 * case.
 */
export function createResolvers(api: AuthApi): Readonly<Record<string, Resolve>> {
  const endSession = field(account.endSession, api.endSession)
  return {
    jwks: async (_args, { call }) => (await api.jwks(call.tenant)).body,
    settings: async (_args, { call }) => api.settings(call.tenant),
    me: field(account.getMe, api.me),
    sessions: field(account.listSessions, api.listSessions),
    signup: field(operations.signup, api.signup, api.signupFaults),
    confirmSignup: field(operations.confirmSignup, api.confirmSignup),
    resendCode: field(operations.resendCode, api.resendCode),
    login: field(operations.login, api.login),
    recoverPassword: field(operations.recoverPassword, api.recoverPassword),
    resetPassword: field(operations.resetPassword, api.resetPassword, api.resetFaults),
    refreshToken: field(operations.refreshToken, api.refreshToken),
    logout: field(operations.logout, api.logout),
    updateMe: field(account.updateMe, api.updateMe),
    changePassword: field(account.changePassword, api.changePassword, api.changeFaults),
    endSession: async (args, context) => {
      await endSession(args, context)
      return { message: 'The session is ended' }
    },
  }
}

function field<Op extends Operation>(
  operation: Op,
  useCase: UseCase<Op>,
  ruleFaults?: RuleFaults<Op>,
): Resolve {
  const { body, query, params, reply } = operation
  // REST has the input in one of them. Here all of it are arguments.
  const schema = body ?? query ?? params
  return async (args, { call }) => {
    const violations: RuledViolation[] = []
    const input = schema && parsePart('body', schema, { input: args, violations })
    if (schema && violations.length > 0) {
      const sound = soundFields(schema, args) as Parameters<RuleFaults<Op>>[0]
      throw invalid([...violations, ...((await ruleFaults?.(sound, call)) ?? [])])
    }
    return reply.schema.parse(await useCase(input as InputOf<Op>, call))
  }
}
