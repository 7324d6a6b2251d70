import { AppError } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { clientLine } from '../limits/client-line.ts'
import type { Attempt, Lockout } from '../limits/lockout.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Passwords } from '../password/passwords.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { toPublicUser, type User } from '../users/user.ts'
import { findCostliestScheme, findUserByEmail, holdLogin } from '../users/user-store.ts'
import { lockoutMeter } from './account-meters.ts'
import type { Accounts, LoginResult } from './accounts.ts'

export type LoginDeps = {
  pool: Pool
  limits: RateLimits
  lockout: Lockout
  passwords: Pick<Passwords, 'check' | 'assertCapacity'>
  sessions: Pick<Sessions, 'open'>
  metrics: Metrics
}

type Verified = { user: User; rehashed: string | null }

/** Tries per login: a password hash may change during a login, because it is rehashed or reset. */
const maxTries = 3

export function createLogin(deps: LoginDeps): Accounts['login'] {
  const { pool, limits, lockout, passwords } = deps
  const lockouts = lockoutMeter(deps.metrics)

  const verify = async (
    { tenant, client }: Attempt,
    user: User | null,
    password: string,
  ): Promise<Verified | null> => {
    const costliest = await findCostliestScheme(pool, tenant)
    const admitted = user?.disabled === true ? null : user
    const line = clientLine(tenant, client)
    const { matches, rehashed } = await passwords.check({
      user: admitted,
      password,
      costliest,
      line,
    })
    return matches && user !== null ? { user, rehashed } : null
  }

  const attemptLogin = async (attempt: Attempt, password: string): Promise<LoginResult> => {
    const { tenant, email } = attempt
    for (let tries = 1; tries <= maxTries; tries++) {
      const user = await findUserByEmail(pool, tenant, email)
      // Before the lock and not counted: an unconfirmed account gets the same answer after any
      // number of tries.
      if (user !== null && !user.emailVerified) throw notVerified()
      await lockout.assertUnlocked(attempt)
      const verified = await verify(attempt, user, password)
      const { locked } = await lockout.settle(attempt, verified === null ? 'failure' : 'success')
      if (locked) {
        lockouts.inc()
        throw new LockingFailure()
      }
      if (verified === null) break
      const result = await openSession(deps, tenant, verified)
      if (result !== null) return result
    }
    throw invalidCredentials()
  }

  return async (tenant, { email, password }, client) => {
    passwords.assertCapacity(clientLine(tenant, client))
    const work = () => attemptLogin({ tenant, email, client }, password)
    return limits.admit('login', tenant, { subject: client.address, work })
  }
}

/** Returns `null` if the password hash is no longer the one that was checked. */
function openSession(
  { pool, sessions }: LoginDeps,
  tenant: Tenant,
  { user, rehashed }: Verified,
): Promise<LoginResult | null> {
  return inTransaction(pool, async (tx) => {
    if (!(await holdLogin(tx, user, rehashed))) return null
    return { ...(await sessions.open(tx, tenant, user)), user: toPublicUser(user) }
  })
}

const wrong = 'The e-mail address or the password is wrong'

const invalidCredentials = () => new AppError('AUTH_INVALID_CREDENTIALS', wrong)

/** The failure that locked the account. Its answer equals that of any other wrong password. */
export class LockingFailure extends AppError {
  constructor() {
    super('AUTH_INVALID_CREDENTIALS', wrong)
  }
}

const notVerified = () =>
  new AppError('AUTH_EMAIL_NOT_VERIFIED', 'The e-mail address is not confirmed yet')
