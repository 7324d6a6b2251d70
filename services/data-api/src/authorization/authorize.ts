import { type PlatformAccess, readTenant } from '@surehook/access/management-access'
import { requiredRight } from '@surehook/access/management-token'
import { noCredential } from '@surehook/access/no-credential'
import type { UserAccess } from '@surehook/access/users/user-access'
import { AppError } from '@surehook/service-kit/errors'
import { limitKeyOf } from '@surehook/service-kit/http/request/client-networks'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { bearerToken } from '@surehook/token-verifier'
import type { Tenant } from '../table-definition.ts'

/** The caller and its tenant. `roles` is `null` for a management token: its rights were checked. */
export type Caller = {
  tenant: Tenant
  roles: readonly string[] | null
  /** The id of the management token or of the user. */
  id: string
}

export type Authorize = (context: RequestContext) => Promise<Caller>

/** Authorise a request. Both reject a missing or invalid credential with 401. */
export type Authorizers = {
  /** For records: takes management tokens and users' access tokens. */
  records: Authorize
  /** For tables and published changes: takes management tokens only. A user token gets 403. */
  tables: Authorize
}

export type AuthorizeDeps = {
  access: Pick<PlatformAccess, 'authorizeManagement'>
  users: UserAccess
  /** Counts a request whose credential is valid. Rejects with RATE_LIMIT_EXCEEDED. */
  charge: Charge
}

export type Charge = (context: RequestContext, caller: Caller, points: number) => Promise<void>

const defaultEnvironment = 'master'

const notValid = () => new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

const none = () => noCredential('AUTH_TOKEN_INVALID', 'access token or management token')

export function createAuthorizers(deps: AuthorizeDeps): Authorizers {
  const { access, users, charge } = deps

  async function admitted(context: RequestContext, caller: Caller): Promise<Caller> {
    await charge(context, caller, 1)
    context.owner = caller.tenant.projectId
    return caller
  }

  async function management(context: RequestContext): Promise<Caller> {
    const { req } = context
    const { projectId, environment, tokenId } = await access.authorizeManagement({
      authorization: req.headers.authorization,
      projectId: req.headers['x-project-id'],
      environment: req.headers['environment'] ?? defaultEnvironment,
      right: requiredRight(context),
    })
    context.actorId = tokenId
    return admitted(context, { tenant: { projectId, environment }, roles: null, id: tokenId })
  }

  async function user(context: RequestContext, token: string): Promise<Caller> {
    const { req } = context
    const environment = req.headers['environment'] ?? defaultEnvironment
    const tenant = readTenant(req.headers['x-project-id'], environment)
    const client = limitKeyOf(context.countedClient)
    const { claims } = await users.admit(tenant, { token, client })
    return admitted(context, { tenant, roles: claims.roles, id: claims.sub })
  }

  return {
    records(context) {
      const { authorization } = context.req.headers
      if (!authorization) return Promise.reject(none())
      const token = bearerToken(authorization)
      if (token?.startsWith('mt_')) return management(context)
      // Only users' tokens (JWTs) contain dots.
      return token?.includes('.') ? user(context, token) : Promise.reject(notValid())
    },
    async tables(context) {
      const token = bearerToken(context.req.headers.authorization)
      if (!token?.includes('.') || token.startsWith('mt_')) return management(context)
      await user(context, token)
      throw new AppError('FORBIDDEN', 'This needs a management token')
    },
  }
}

/**
 * Call it after authorisation and validation: only authorised callers may learn that an environment
 * is missing.
 */
export async function requireEnvironment(
  access: Pick<PlatformAccess, 'environmentExists'>,
  { projectId, environment }: Tenant,
): Promise<void> {
  if (await access.environmentExists(projectId, environment)) return
  throw new AppError('ENVIRONMENT_NOT_FOUND', 'The project has no such environment')
}
