import { hasAsUser } from '@surehook/contracts/http/data/as-user'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { RequestLimits } from './limits/request-limits.ts'
import type { ManagementIdentity, PlatformAccess } from './management-access.ts'
import { requiredRight } from './management-token.ts'
import { onlyReads } from './users/only-reads.ts'

/** Authorises a management token within its limits, and returns whose request it is. */
export function managementCaller(
  access: Pick<PlatformAccess, 'authorizeManagement'>,
  limits: RequestLimits,
) {
  return async (context: RequestContext): Promise<ManagementIdentity> => {
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
