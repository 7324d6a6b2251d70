import { type PlatformAccess, readTenant } from '@surehook/access/management-access'
import { noCredential } from '@surehook/access/no-credential'
import { AppError } from '@surehook/service-kit/errors'
import type { Cidr } from '@surehook/service-kit/http/request/client-address'
import { countedClient, forgerOf } from '@surehook/service-kit/http/request/counted-client'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { type AccessClaims, bearerToken } from '@surehook/token-verifier'
import type { Tenant } from '../tables/table-definition.ts'
import type { ShownToken, UserTokens } from './user-tokens.ts'

/** Who calls, and for which tenant. `roles` of a user; `null` for a management token, which may everything. */
export type Caller = {
  tenant: Tenant
  roles: readonly string[] | null
  /** Of the management token or of the user. */
  id: string
}

export type Authorize = (context: RequestContext) => Promise<Caller>

/** Who may call which operations; both reject whoever has no good credential. */
export type Authorizers = {
  /** Of records: whoever does not come with a management token is taken for a user. */
  records: Authorize
  /** Of tables: a user is forbidden what whoever comes without a credential needs a management token for. */
  tables: Authorize
}

export type AuthorizeDeps = {
  access: Pick<
    PlatformAccess,
    'authorizeManagement' | 'expectsUsers' | 'admitsUsers' | 'keyEpochOf'
  >
  users: Pick<UserTokens, 'verify'>
  trustedProxies: readonly Cidr[]
}

const defaultEnvironment = 'master'

const notValid = () => new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

const none = () => noCredential('AUTH_TOKEN_INVALID', 'access token or management token')

export function createAuthorizers({ access, users, trustedProxies }: AuthorizeDeps): Authorizers {
  async function management(context: RequestContext): Promise<Caller> {
    const { req } = context
    const { projectId, environment, tokenId } = await access.authorizeManagement({
      authorization: req.headers.authorization,
      projectId: req.headers['x-project-id'],
      environment: req.headers['environment'] ?? defaultEnvironment,
    })
    context.actorId = tokenId
    return { tenant: { projectId, environment }, roles: null, id: tokenId }
  }

  /** Strangers name any tenant: nothing is made of a token before there is one whose users may come. */
  async function verify(tenant: Tenant, token: ShownToken): Promise<AccessClaims> {
    const { projectId, environment } = tenant
    const admitted = () => access.admitsUsers(projectId, environment)
    const epoch = () => access.keyEpochOf(projectId, environment)
    if (!access.expectsUsers(projectId, environment)) {
      // It may only not have arrived yet.
      if (!(await admitted())) throw notValid()
      return users.verify(tenant, token, epoch())
    }
    // Both at once: each asks the brokers. What is switched off decides, whatever becomes of the token.
    const expected = epoch()
    const verifying = Promise.allSettled([users.verify(tenant, token, expected)])
    if (!(await admitted())) throw notValid()
    // Its keys were replaced meanwhile: what was verified with the old ones is no verdict.
    if (epoch() !== expected) return users.verify(tenant, token, epoch())
    const [verified] = await verifying
    if (verified.status === 'rejected') throw verified.reason
    return verified.value
  }

  async function user({ req }: RequestContext, token: string): Promise<Caller> {
    const environment = req.headers['environment'] ?? defaultEnvironment
    const tenant = readTenant(req.headers['x-project-id'], environment)
    const client = forgerOf(countedClient(req, trustedProxies))
    const { roles, sub } = await verify(tenant, { token, client })
    return { tenant, roles, id: sub }
  }

  return {
    records(context) {
      const { authorization } = context.req.headers
      if (!authorization) return Promise.reject(none())
      const token = bearerToken(authorization)
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
