import { assertAdministrator, isOneOf, tokenDigest } from '@surehook/access/admin-gate'
import { isExpired, requireUse, tokenHash, tokenInvalid } from '@surehook/access/management-token'
import {
  admitsSession,
  type SessionVerifier,
  verifierOfTokens,
} from '@surehook/access/operator-session'
import type { ManagementTokenState } from '@surehook/contracts/events'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'

/** Rejects unless the caller may use the operation of the request. */
export type AdminGate = (context: RequestContext) => Promise<void>

/** Finds a management token by its hash. It reads the database, so a revocation applies at once. */
export type FindToken = (hash: string) => Promise<ManagementTokenState | undefined>

const managementToken = /^Bearer +(mt_\S*) *$/i

/**
 * Resolves with the management token in `Authorization`, or with `null` for the administration
 * token. Rejects any other credential.
 */
export type IdentifyCaller = (
  authorization: string | undefined,
) => Promise<ManagementTokenState | null>

/**
 * Compares administration tokens in constant time. A token that begins with `mt_` is a management
 * token, unless it is the administration token.
 */
export function createIdentifyCaller(
  adminTokens: readonly string[],
  findToken: FindToken,
): IdentifyCaller {
  const digests = adminTokens.map(tokenDigest)
  return async (authorization) => {
    const shown = managementToken.exec(authorization ?? '')?.[1]
    if (shown === undefined || isOneOf(digests, shown)) {
      assertAdministrator(digests, authorization)
      return null
    }
    const token = await findToken(tokenHash(authorization))
    if (token === undefined || isExpired(token, Date.now())) throw tokenInvalid()
    return token
  }
}

/**
 * Admits the administration tokens to every operation, and their sessions of one-time codes to those
 * that read. Admits a management token only to an
 * operation whose contract names a right, in the project and environment of the path.
 */
export function adminGate(identifyCaller: IdentifyCaller, sessions: SessionVerifier): AdminGate {
  return async (context) => {
    if (admitsSession(sessions, context.req)) return
    const token = await identifyCaller(context.req.headers.authorization)
    if (token !== null) admitToken(context, token)
  }
}

/**
 * Resolves with the management token of the caller, which must be of the project in the path, or with
 * `null` for an administrator.
 */
export type ProjectGate = (context: RequestContext) => Promise<ManagementTokenState | null>

/** Admits every management token of the project, whatever its rights. */
function projectGate(identifyCaller: IdentifyCaller, sessions: SessionVerifier): ProjectGate {
  return async (context) => {
    if (admitsSession(sessions, context.req)) return null
    const token = await identifyCaller(context.req.headers.authorization)
    if (token === null) return null
    context.actorId = token.id
    if (token.projectId !== context.req.params['project']) {
      throw new AppError('FORBIDDEN', 'The token is not for this project')
    }
    context.owner = token.projectId
    return token
  }
}

/** The gates of all routes of the administration. */
export function adminGates(identifyCaller: IdentifyCaller, adminTokens: readonly string[]) {
  const sessions = verifierOfTokens(adminTokens)
  return {
    authorize: adminGate(identifyCaller, sessions),
    authorizeInProject: projectGate(identifyCaller, sessions),
  }
}

function admitToken(context: RequestContext, token: ManagementTokenState): void {
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
  context.owner = token.projectId
}
