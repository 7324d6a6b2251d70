import { type PlatformAccess, readTenant } from '@surehook/access/management-access'
import { requiredRight } from '@surehook/access/management-token'
import { noCredential } from '@surehook/access/no-credential'
import type { IssuedUser, UserAccess } from '@surehook/access/users/user-access'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import { asUserName, asUserRights, hasAsUser } from '@surehook/contracts/http/data/as-user'
import type { ManagementRight } from '@surehook/contracts/rights'
import { AppError } from '@surehook/service-kit/errors'
import { limitKeyOf } from '@surehook/service-kit/http/request/client-networks'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { bearerToken } from '@surehook/token-verifier'
import type { Tenant } from '../table-definition.ts'
import { userAsked } from './as-user.ts'

/** The caller and its tenant. `roles` is `null` for a management token: its rights were checked. */
export type Caller = {
  tenant: Tenant
  roles: readonly string[] | null
  /** The id of the management token or of the user. */
  id: string
  /** Of a user of a trusted issuer. */
  issued?: IssuedUser | undefined
  /** A management token reads as this user, and may change nothing. */
  onlyReads?: true
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
  access: Pick<PlatformAccess, 'authorizeManagement' | 'environmentExists'>
  users: UserAccess
  /** Answers for the users that management tokens read as. */
  values: Pick<UserValuesOf, 'of'>
  /** Counts a request whose credential is valid. Rejects with RATE_LIMIT_EXCEEDED. */
  charge: Charge
}

export type Charge = (context: RequestContext, caller: Caller, points: number) => Promise<void>

const defaultEnvironment = 'master'

const notValid = () => new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

const none = () => noCredential('AUTH_TOKEN_INVALID', 'access token or management token')

export function createAuthorizers(deps: AuthorizeDeps): Authorizers {
  const { access, users, values, charge } = deps

  async function admitted(context: RequestContext, caller: Caller): Promise<Caller> {
    await charge(context, caller, 1)
    context.owner = caller.tenant.projectId
    return caller
  }

  async function management(context: RequestContext): Promise<Caller> {
    const { headers } = context.req
    const holding = (right: ManagementRight) =>
      access.authorizeManagement({
        authorization: headers.authorization,
        projectId: headers['x-project-id'],
        environment: headers['environment'] ?? defaultEnvironment,
        right,
      })
    const { tokenId, ...tenant } = await holding(requiredRight(context))
    context.actorId = tokenId
    const caller = await admitted(context, { tenant, roles: null, id: tokenId })
    if (!hasAsUser(headers)) return caller
    await Promise.all(asUserRights.map(holding))
    // The token is good. What follows is about the user, and the audit trail tells the two apart.
    context.isAuthorized = true
    await requireEnvironment(access, tenant)
    return userAsked(context, tenant, values)
  }

  async function user(context: RequestContext, token: string): Promise<Caller> {
    const { req } = context
    const environment = req.headers['environment'] ?? defaultEnvironment
    const tenant = readTenant(req.headers['x-project-id'], environment)
    const client = limitKeyOf(context.countedClient)
    const { claims, issued } = await users.admit(tenant, { token, client })
    const of = { tenant, roles: claims.roles, id: claims.sub, issued }
    const caller = await admitted(context, of)
    if (hasAsUser(req.headers))
      throw new AppError('FORBIDDEN', `${asUserName} needs a management token`)
    return caller
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
