import type { RequestLimits } from '@surehook/access/limits/request-limits'
import { readTenant } from '@surehook/access/management-access'
import { type AdmittedUser, type UserAccess, userKeyOf } from '@surehook/access/users/user-access'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import { AppError } from '@surehook/service-kit/errors'
import { limitKeyOf } from '@surehook/service-kit/http/request/client-networks'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { bearerToken } from '@surehook/token-verifier'
import type { Tenant } from '../tenants/tenant.ts'

export type StreamCaller = {
  tenant: Tenant
  /** `null` for a management token. */
  user: (AdmittedUser & { values: UserValuesOf }) | null
}

/** What admits users, and knows their values. */
export type StreamUsers = { access: UserAccess; values: UserValuesOf }

export type StreamCallerDeps = {
  management: (context: RequestContext) => Promise<Tenant>
  /** `null`: the installation has not set what users' tokens need. */
  users: StreamUsers | null
  limits: RequestLimits
}

/** Authorises a management token or a user's access token, each within its limits. */
export function streamCaller({ management, users, limits }: StreamCallerDeps) {
  return async (context: RequestContext): Promise<StreamCaller> => {
    const { headers } = context.req
    const token = bearerToken(headers.authorization)
    // Only users' tokens (JWTs) contain dots.
    if (token === null || token.startsWith('mt_') || !token.includes('.')) {
      return { tenant: await management(context), user: null }
    }
    if (users === null) {
      throw new AppError('FORBIDDEN', 'This installation streams to management tokens only')
    }
    const tenant = readTenant(headers['x-project-id'], headers['environment'])
    const client = limitKeyOf(context.countedClient)
    const user = await users.access.admit(tenant, { token, client })
    const id = userKeyOf({ id: user.claims.sub, issued: user.issued })
    await limits.charge(context, { ...tenant, id }, 1)
    context.owner = tenant.projectId
    return { tenant, user: { ...user, values: users.values } }
  }
}
