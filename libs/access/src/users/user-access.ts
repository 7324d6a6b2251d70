import { AppError } from '@surehook/service-kit/errors'
import type { AccessClaims } from '@surehook/token-verifier'
import type { PlatformAccess } from '../management-access.ts'
import type { ShownToken, UserTokens } from './user-tokens.ts'

type Tenant = { projectId: string; environment: string }

export type AdmittedUser = {
  claims: AccessClaims
  /**
   * For what outlives its request: tells at any time whether the token is still valid, by what is
   * known here. False also while that is not current.
   */
  isStanding: () => boolean
}

export type UserAccess = {
  /** Verifies a user's access token for the tenant. Rejects with 401, 429 or 503. */
  admit(tenant: Tenant, token: ShownToken): Promise<AdmittedUser>
}

export type UserAccessDeps = {
  access: Pick<PlatformAccess, 'healthy' | 'expectsUsers' | 'admitsUsers' | 'keyEpochOf'>
  users: Pick<UserTokens, 'verify' | 'isRevoked'>
}

const notValid = () => new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

/** Anyone may name any tenant, so no verifier is created before the tenant is known. */
export function createUserAccess({ access, users }: UserAccessDeps): UserAccess {
  return {
    async admit(tenant, token) {
      const { projectId, environment } = tenant
      const admitsUsers = () => access.admitsUsers(projectId, environment)
      const epoch = () => access.keyEpochOf(projectId, environment)
      const verify = async (keyEpoch: number): Promise<AdmittedUser> => {
        const claims = await users.verify(tenant, token, keyEpoch)
        const isStanding = () =>
          access.healthy &&
          claims.exp * 1_000 > Date.now() &&
          access.expectsUsers(projectId, environment) &&
          epoch() === keyEpoch &&
          !users.isRevoked(claims)
        return { claims, isStanding }
      }
      if (!access.expectsUsers(projectId, environment)) {
        // The environment may exist although its state has not arrived here yet.
        if (!(await admitsUsers())) throw notValid()
        return verify(epoch())
      }
      // Runs both in parallel, because each asks the brokers. If the environment admits no users,
      // the token's own result does not matter.
      const expected = epoch()
      const verifying = Promise.allSettled([verify(expected)])
      if (!(await admitsUsers())) throw notValid()
      // The keys were replaced meanwhile, so a result from the old ones does not count.
      if (epoch() !== expected) return verify(epoch())
      const [verified] = await verifying
      if (verified.status === 'rejected') throw verified.reason
      return verified.value
    },
  }
}
