import { type PlatformAccess, readTenant } from '@surehook/service-kit/access/management-access'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request-context'
import { bearerToken } from '@surehook/token-verifier'
import type { Tenant } from '../tables/table-definition.ts'
import type { UserTokens } from './user-tokens.ts'

/** Who calls, and for which tenant. `roles` of a user; `null` for a management token, which may everything. */
export type Caller = { tenant: Tenant; roles: readonly string[] | null }

export type Authorize = (context: RequestContext) => Promise<Caller>

/** Who may call which operations; both reject whoever has no good credential. */
export type Authorizers = {
  /** Of records: whoever does not come with a management token is taken for a user. */
  records: Authorize
  /** Of tables: a user is forbidden what whoever comes without a credential needs a management token for. */
  tables: Authorize
}

export type AuthorizeDeps = {
  access: Pick<PlatformAccess, 'authorizeManagement' | 'admitsUsers'>
  users: Pick<UserTokens, 'verify'>
}

const defaultEnvironment = 'master'

const notValid = () => new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

export function createAuthorizers({ access, users }: AuthorizeDeps): Authorizers {
  async function management({ req }: RequestContext): Promise<Caller> {
    const { projectId, environment } = await access.authorizeManagement({
      authorization: req.headers.authorization,
      projectId: req.headers['x-project-id'],
      environment: req.headers['environment'] ?? defaultEnvironment,
    })
    return { tenant: { projectId, environment }, roles: null }
  }

  async function user({ req }: RequestContext, token: string): Promise<Caller> {
    const environment = req.headers['environment'] ?? defaultEnvironment
    const tenant = readTenant(req.headers['x-project-id'], environment)
    // Both at once: each asks the brokers. What is switched off decides, whatever becomes of the token.
    const verifying = Promise.allSettled([users.verify(tenant, token)])
    if (!(await access.admitsUsers(tenant.projectId, tenant.environment))) throw notValid()
    const [verified] = await verifying
    if (verified.status === 'rejected') throw verified.reason
    return { tenant, roles: verified.value.roles }
  }

  return {
    records(context) {
      const token = bearerToken(context.req.headers.authorization)
      if (token?.startsWith('mt_')) return management(context)
      // Only a user's token has dots in it.
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

/** After authorisation and validation: only who may know hears that an environment is missing. */
export async function requireEnvironment(
  access: Pick<PlatformAccess, 'environmentExists'>,
  { projectId, environment }: Tenant,
): Promise<void> {
  if (await access.environmentExists(projectId, environment)) return
  throw new AppError('ENVIRONMENT_NOT_FOUND', 'The project has no such environment')
}
