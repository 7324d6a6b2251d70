import * as account from '@surehook/contracts/http/account'
import * as operations from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import { mountGraphQL } from '@surehook/service-kit/graphql/mount-graphql'
import { type Handle, mount, Reply } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { AuthApi } from '../../use-cases/auth-api.ts'
import type { Call } from '../../use-cases/call.ts'
import type { GraphQLEndpoint } from '../graphql/graphql-endpoint.ts'

export type AuthRoutesDeps = {
  api: AuthApi
  openCall: (context: RequestContext) => Promise<Call>
  /** Throws if a password hash for this request would wait too long. */
  assertCapacity: (context: RequestContext) => void
  graphql: GraphQLEndpoint
}

/**
 * The routes `/auth/…` for users. The tenant is resolved before the rest of a request is read. Only
 * requests that need a password hash may be refused earlier, because a refusal must cost almost
 * nothing.
 */
export function authRoutes(deps: AuthRoutesDeps): (router: Router) => void {
  const { api, openCall, assertCapacity, graphql } = deps
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Call>) =>
      mount(router, operation, { authorize: openCall, handle })
    const openHashing = (context: RequestContext) => {
      assertCapacity(context)
      return openCall(context)
    }

    mount(router, operations.signup, {
      authorize: openHashing,
      ruleFaults: ({ body }, { auth }) => api.signupFaults(body, auth),
      handle: ({ body }, { auth }) => api.signup(body, auth),
    })
    serve(operations.confirmSignup, ({ body }, { auth }) => api.confirmSignup(body, auth))
    serve(operations.resendCode, ({ body }, { auth }) => api.resendCode(body, auth))
    mount(router, operations.login, {
      authorize: openHashing,
      handle: ({ body }, { auth }) => api.login(body, auth),
    })
    serve(operations.recoverPassword, ({ body }, { auth }) => api.recoverPassword(body, auth))
    mount(router, operations.resetPassword, {
      authorize: openCall,
      ruleFaults: ({ body }, { auth }) => api.resetFaults(body, auth),
      handle: ({ body }, { auth }) => api.resetPassword(body, auth),
    })
    serve(operations.refreshToken, ({ body }, { auth }) => api.refreshToken(body, auth))
    serve(operations.logout, (_, { auth }) => api.logout(undefined, auth))
    serve(operations.getJwks, async (_, { auth }) => {
      const { body, headers } = await api.jwks(auth.tenant)
      return new Reply(body, headers)
    })
    serve(account.getAuthSettings, (_, { auth }) => api.settings(auth.tenant))
    serve(account.getMe, (_, { auth }) => api.me(undefined, auth))
    serve(account.updateMe, ({ body }, { auth }) => api.updateMe(body, auth))
    mount(router, account.changePassword, {
      authorize: openHashing,
      ruleFaults: ({ body }, { auth }) => api.changeFaults(body, auth),
      handle: ({ body }, { auth }) => api.changePassword(body, auth),
    })
    serve(account.listSessions, ({ query }, { auth }) => api.listSessions(query, auth))
    serve(account.endSession, ({ params }, { auth }) => api.endSession(params, auth))
    mountGraphQL(router, operations.authGraphQL, {
      authorize: openCall,
      execute: ({ body }, { auth, log }) => graphql.execute(body, auth, log),
    })
  }
}
