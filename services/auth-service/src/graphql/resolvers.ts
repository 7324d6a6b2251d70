import * as operations from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import type { Violation } from '@surehook/contracts/problem'
import { invalid } from '@surehook/service-kit/errors'
import { parsePart } from '@surehook/service-kit/http/violations'
import type { AuthApi, Call } from '../api/auth-api.ts'

/** What a field needs of its request. */
export type GraphQLContext = { call: Call }

type Resolve = (args: object, context: GraphQLContext) => Promise<unknown>

/** The root of every request. Each field is an operation of the REST API: its schemas, its use case. */
export function createResolvers(api: AuthApi): Readonly<Record<string, Resolve>> {
  return {
    jwks: async (_args, { call }) => (await api.jwks(call.tenant)).body,
    signup: field(operations.signup, api.signup),
    confirmSignup: field(operations.confirmSignup, api.confirmSignup),
    resendCode: field(operations.resendCode, api.resendCode),
    login: field(operations.login, api.login),
    recoverPassword: field(operations.recoverPassword, api.recoverPassword),
    resetPassword: field(operations.resetPassword, api.resetPassword),
    refreshToken: field(operations.refreshToken, api.refreshToken),
    logout: field(operations.logout, api.logout),
  }
}

function field(
  operation: Operation,
  useCase: (body: never, call: Call) => Promise<unknown>,
): Resolve {
  return async (args, { call }) => {
    const body = operation.body && parseArguments(operation.body, args)
    return operation.reply.schema.parse(await useCase(body as never, call))
  }
}

/** An argument given as `null` is, as in GraphQL, the same as one left out. */
function parseArguments(schema: NonNullable<Operation['body']>, args: object): unknown {
  const violations: Violation[] = []
  const input = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
  const body = parsePart('body', schema, { input, violations })
  if (violations.length > 0) throw invalid(violations)
  return body
}
