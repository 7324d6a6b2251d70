import { createAudit } from '@surehook/access/audit/audit'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { type ClientLine, clientLine } from '../limits/client-line.ts'
import { namedTenant, type ResolveTenant } from '../platform/tenant.ts'
import type { AccessTokens } from '../sessions/tokens/access-token.ts'
import type { Call, CallerOf } from '../use-cases/call.ts'

/** Builds the `Call` of a request. Rejects if the request names no existing tenant. */
export function createOpenCall(resolveTenant: ResolveTenant) {
  return async (context: RequestContext): Promise<Call> => {
    const { req, requestId, traceparent } = context
    const tenant = await resolveTenant(req)
    const { projectId, environment } = tenant
    return {
      tenant,
      client: { address: context.countedClient },
      origin: { requestId, traceparent },
      authorization: req.headers.authorization,
      acceptLanguage: req.headers['accept-language'],
      identify: () => {},
      audit: createAudit(context, { projectId, environment }),
    }
  }
}

/** Identifies the caller to the audit trail. */
export function createCallerOf(accessTokens: Pick<AccessTokens, 'authenticate'>): CallerOf {
  return async ({ tenant, authorization, client, identify }) => {
    const claims = await accessTokens.authenticate(tenant, authorization, client)
    identify(claims.sub)
    return { tenant, claims }
  }
}

/** The owner of a request's slots, from its headers alone: the tenant need not exist. */
export const lineOf = ({ req, countedClient }: RequestContext): ClientLine =>
  clientLine(namedTenant(req), { address: countedClient })
