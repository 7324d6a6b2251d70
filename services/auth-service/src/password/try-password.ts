import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { clientLine } from '../limits/client-line.ts'
import type { Attempt, Lockout } from '../limits/lockout.ts'
import type { Notices } from '../mail/notices.ts'
import type { User } from '../users/user.ts'
import { findCostliestScheme } from '../users/user-store.ts'
import type { Passwords } from './passwords.ts'

export type Verified = { user: User; rehashed: string | null }

/**
 * Whether the password is the user's, `null` when it is not. Every way to try a password goes through here: each try
 * counts for the lockout, and costs as much whether there is a user or not. AUTH_ACCOUNT_LOCKED while the account is
 * locked; LockingFailure from the try that locks it.
 */
export type TryPassword = (
  attempt: Attempt,
  user: User | null,
  password: string,
) => Promise<Verified | null>

export type TryPasswordDeps = {
  pool: Pool
  lockout: Lockout
  passwords: Pick<Passwords, 'check'>
  notices: Pick<Notices, 'accountLocked'>
  /** An account was locked. */
  onLock: () => void
}

export function createTryPassword(deps: TryPasswordDeps): TryPassword {
  const { pool, lockout, passwords, notices, onLock } = deps
  return async (attempt, user, password) => {
    const { tenant, email, client } = attempt
    await lockout.assertUnlocked(attempt)
    const { matches, rehashed } = await passwords.check({
      user: user?.disabled === true ? null : user,
      password,
      costliest: await findCostliestScheme(pool, tenant),
      line: clientLine(tenant, client),
    })
    const verified = matches && user !== null ? { user, rehashed } : null
    const { locked } = await lockout.settle(attempt, verified === null ? 'failure' : 'success')
    if (!locked) return verified
    onLock()
    await notices.accountLocked(tenant, email)
    throw new LockingFailure()
  }
}

const wrong = 'The e-mail address or the password is wrong'

export const invalidCredentials = () => new AppError('AUTH_INVALID_CREDENTIALS', wrong)

/** The failure that locked the account: answered as every other. */
export class LockingFailure extends AppError {
  constructor() {
    super('AUTH_INVALID_CREDENTIALS', wrong)
  }
}
