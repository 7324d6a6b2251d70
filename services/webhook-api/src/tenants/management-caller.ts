import type { RequestLimits } from '@surehook/access/limits/request-limits'
import type { PlatformAccess } from '@surehook/access/management-access'
import { requiredRight } from '@surehook/access/management-token'
import { onlyReads } from '@surehook/access/users/only-reads'
import { hasAsUser } from '@surehook/contracts/http/data/as-user'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Tenant } from './tenant.ts'

/** Authorises a management token within its limits, and returns the tenant of the request. */
export function managementCaller(
  access: Pick<PlatformAccess, 'authorizeManagement'>,
  limits: RequestLimits,
) {
  return async (context: RequestContext): Promise<Tenant> => {
    const { headers } = context.req
    const identity = await access.authorizeManagement({
      authorization: headers.authorization,
      projectId: headers['x-project-id'],
      environment: headers['environment'],
      right: requiredRight(context),
    })
    context.actorId = identity.tokenId
    await limits.charge(context, { ...identity, id: identity.tokenId }, 1)
    context.owner = identity.projectId
    // Otherwise a caller would take what all may see for what the user sees.
    if (hasAsUser(headers)) throw onlyReads()
    return identity
  }
}
