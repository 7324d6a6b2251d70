import type { PlatformAccess } from '@surehook/access/management-access'
import { requiredRight } from '@surehook/access/management-token'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Tenant } from './subscriptions/subscription-changes.ts'

/** Authorises a management token for the operation, and returns the tenant of the request. */
export function managementCaller(access: Pick<PlatformAccess, 'authorizeManagement'>) {
  return async (context: RequestContext): Promise<Tenant> => {
    const { headers } = context.req
    const identity = await access.authorizeManagement({
      authorization: headers.authorization,
      projectId: headers['x-project-id'],
      environment: headers['environment'],
      right: requiredRight(context),
    })
    context.actorId = identity.tokenId
    return identity
  }
}
