import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { clientLine } from '../limits/client-line.ts'
import { isKnownClient } from '../limits/known-clients.ts'
import type { Attempt, Lockout } from '../limits/lockout.ts'
import type { Notices } from '../mail/notices.ts'
import type { Passwords } from '../password/passwords.ts'
import type { User } from '../user.ts'
import { findCostliestScheme } from '../users/user-store.ts'

export type VerifiedUser = { user: User; rehashed: string | null }

/**
 * Resolves with the user if the password is right, else with `null`. Every check of a password goes
 * through here. Each counts for the lockout, and costs the same without a user. Throws
 * AUTH_ACCOUNT_LOCKED while the account is locked, and `LockingFailure` for the attempt that locks
 * it.
 */
export type TryPassword = (
  attempt: Attempt,
  user: User | null,
  password: string,
) => Promise<VerifiedUser | null>

export type TryPasswordDeps = {
  pool: Pool
  lockout: Lockout
  passwords: Pick<Passwords, 'check'>
  notices: Pick<Notices, 'accountLocked'>
  /** Called when an account was locked. */
  onLock: () => void
}

export function createTryPassword(deps: TryPasswordDeps): TryPassword {
  const { pool, lockout, passwords, notices, onLock } = deps
  return async (attempt, user, password) => {
    const { tenant, email, client } = attempt
    const counted = { ...attempt, isKnown: await isKnownClient(pool, user, client) }
    await lockout.assertUnlocked(counted)
    const { matches, rehashed } = await passwords.check({
      user: user?.disabled === true ? null : user,
      password,
      costliest: await findCostliestScheme(pool, tenant),
      line: clientLine(tenant, client),
    })
    const verified = matches && user !== null ? { user, rehashed } : null
    const { locked } = await lockout.settle(counted, verified === null ? 'failure' : 'success')
    if (!locked) return verified
    onLock()
    await notices.accountLocked(tenant, email)
    throw new LockingFailure()
  }
}

const wrong = 'The e-mail address or the password is wrong'

export const invalidCredentials = () => new AppError('AUTH_INVALID_CREDENTIALS', wrong)

/** The failure that locked the account. Clients get the same answer as for any other failure. */
export class LockingFailure extends AppError {
  constructor() {
    super('AUTH_INVALID_CREDENTIALS', wrong)
  }
}
