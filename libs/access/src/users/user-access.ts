import type { TrustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import { AppError } from '@surehook/service-kit/errors'
import { type AccessClaims, sameIssuer, unverifiedIssuer } from '@surehook/token-verifier'
import type { PlatformAccess } from '../management-access.ts'
import type { ShownToken } from './issued-tokens.ts'
import type { UserTokens } from './user-tokens.ts'

type Tenant = { projectId: string; environment: string }

/** What a trusted issuer says of its user, whom auth-service does not know. */
export type IssuedUser = {
  issuer: string
  /** `null` unless the issuer has verified the address. */
  email: string | null
}

/** Names the user among those of all issuers: an issuer may give its user the id of another caller. */
export const userKeyOf = (user: { id: string; issued?: IssuedUser | undefined }): string =>
  `${user.issued?.issuer ?? ''}${user.id}`

export type AdmittedUser = {
  claims: Pick<AccessClaims, 'sub' | 'roles' | 'exp'>
  /** Absent for a user of auth-service. */
  issued?: IssuedUser
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
  access: Pick<
    PlatformAccess,
    'healthy' | 'expectsUsers' | 'admitsUsers' | 'keyEpochOf' | 'expectedIssuers' | 'trustedIssuers'
  >
  users: Pick<UserTokens, 'verify' | 'isRevoked' | 'isOwnIssuer' | 'issued'>
}

const notValid = () => new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

/** Anyone may name any tenant, so no verifier is created before the tenant is known. */
export function createUserAccess(deps: UserAccessDeps): UserAccess {
  return {
    admit(tenant, shown) {
      const issuer = unverifiedIssuer(shown.token)
      return issuer === null || deps.users.isOwnIssuer(tenant, issuer)
        ? admitOwn(deps, tenant, shown)
        : admitIssued(deps, tenant, { ...shown, issuer })
    },
  }
}

/** Admits a user of auth-service. */
async function admitOwn(
  { access, users }: UserAccessDeps,
  tenant: Tenant,
  token: ShownToken,
): Promise<AdmittedUser> {
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
}

const verifyAgainMs = 60_000

/**
 * Verifies again in the background while it is asked: the issuer may withdraw the key long before the
 * token expires. False after a failure.
 */
function verifiedAgain(verify: () => Promise<unknown>): () => boolean {
  let isVerified = true
  let verifiedAt = performance.now()
  return () => {
    if (isVerified && performance.now() - verifiedAt >= verifyAgainMs) {
      verifiedAt = performance.now()
      verify().catch(() => {
        isVerified = false
      })
    }
    return isVerified
  }
}

/**
 * Admits a user of an issuer that the environment trusts. Whether the environment has users of its
 * own does not matter.
 */
async function admitIssued(
  { access, users }: UserAccessDeps,
  tenant: Tenant,
  { issuer: named, ...shown }: ShownToken & { issuer: string },
): Promise<AdmittedUser> {
  const { projectId, environment } = tenant
  const find = (trusted: readonly TrustedIssuer[]) =>
    trusted.find(({ issuer }) => sameIssuer(issuer, named))
  const issuer = find(await access.trustedIssuers(projectId, environment))
  if (issuer === undefined) {
    throw new AppError('AUTH_TOKEN_INVALID', 'The access token is of no trusted issuer')
  }
  const verify = () => users.issued.verify(tenant, issuer, shown)
  const { sub, roles, exp, email } = await verify()
  const settings = JSON.stringify(issuer)
  const isVerified = verifiedAgain(verify)
  const isStanding = () =>
    access.healthy &&
    exp * 1_000 > Date.now() &&
    isVerified() &&
    JSON.stringify(find(access.expectedIssuers(projectId, environment))) === settings
  return { claims: { sub, roles, exp }, issued: { issuer: issuer.issuer, email }, isStanding }
}
