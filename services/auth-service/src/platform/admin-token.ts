import { adminGate as gateOf, isOneOf, tokenDigest } from '@surehook/access/admin-gate'
import { isExpired, requireUse, tokenHash, tokenInvalid } from '@surehook/access/management-token'
import type { ManagementTokenState } from '@surehook/contracts/events'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'

/** Rejects unless the caller may use the operation of the request. */
export type AdminGate = (context: RequestContext) => Promise<void>

/** Finds a management token by its hash. It reads the database, so a revocation applies at once. */
export type FindToken = (hash: string) => Promise<ManagementTokenState | undefined>

const managementToken = /^Bearer +(mt_\S*) *$/i

/**
 * Admits the administration tokens, compared in constant time, to every operation. Admits a
 * management token only to an operation whose contract names a right, in the project and
 * environment of the path. A token that begins with `mt_` is a management token, unless it is the
 * administration token.
 */
export function adminGate(adminTokens: readonly string[], findToken: FindToken): AdminGate {
  const digests = adminTokens.map(tokenDigest)
  const administrator = gateOf(digests)
  return async (context) => {
    const { authorization } = context.req.headers
    const shown = managementToken.exec(authorization ?? '')?.[1]
    if (shown === undefined || isOneOf(digests, shown)) administrator(authorization)
    else admitToken(context, await findToken(tokenHash(authorization)))
  }
}

function admitToken(context: RequestContext, token: ManagementTokenState | undefined): void {
  if (token === undefined || isExpired(token, Date.now())) throw tokenInvalid()
  context.actorId = token.id
  if (context.right === undefined) {
    throw new AppError('FORBIDDEN', 'This needs the administration token')
  }
  const { project, environment } = context.req.params
  requireUse(token, {
    projectId: String(project),
    environment: String(environment),
    right: context.right,
  })
}
