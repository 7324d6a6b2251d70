import { type PlatformAccess, readTenant } from '@surehook/service-kit/access/management-access'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request-context'
import { bearerToken } from '@surehook/token-verifier'
import type { Tenant } from '../tables/table-definition.ts'
import type { UserTokens } from './user-tokens.ts'

/** Who calls, and for which tenant. `roles` of a user; `null` for a management token, which may everything. */
export type Caller = { tenant: Tenant; roles: readonly string[] | null }

export type Authorize = (context: RequestContext) => Promise<Caller>

export type AuthorizeDeps = {
  access: Pick<PlatformAccess, 'authorizeManagement'>
  users: Pick<UserTokens, 'verify'>
}

const defaultEnvironment = 'master'

/** Rejects whoever has no good credential. Only a user's token has dots in it. */
export function createAuthorize({ access, users }: AuthorizeDeps): Authorize {
  return async ({ req }) => {
    const { authorization } = req.headers
    const projectId = req.headers['x-project-id']
    const environment = req.headers['environment'] ?? defaultEnvironment
    const token = bearerToken(authorization)
    if (token?.includes('.')) {
      const tenant = readTenant(projectId, environment)
      const { roles } = await users.verify(tenant, token)
      return { tenant, roles }
    }
    const named = { authorization, projectId, environment }
    const identity = await access.authorizeManagement(named)
    return {
      tenant: { projectId: identity.projectId, environment: identity.environment },
      roles: null,
    }
  }
}

/** What no role of a user gives. */
export function requireManagement(caller: Caller): Caller {
  if (caller.roles === null) return caller
  throw new AppError('FORBIDDEN', 'This needs a management token')
}

/** After authorisation and validation: only who may know hears that an environment is missing. */
export async function requireEnvironment(
  access: Pick<PlatformAccess, 'environmentExists'>,
  { projectId, environment }: Tenant,
): Promise<void> {
  if (await access.environmentExists(projectId, environment)) return
  throw new AppError('ENVIRONMENT_NOT_FOUND', 'The project has no such environment')
}
