import type { LoggedIn } from '@surehook/contracts/http/auth'
import { AppError } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { clientLine } from '../limits/client-line.ts'
import { rememberClient } from '../limits/known-clients.ts'
import type { Attempt } from '../limits/lockout.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Passwords } from '../password/passwords.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AuthApi } from '../use-cases/auth-api.ts'
import { toPublicUser } from '../user.ts'
import { findUserByEmail, holdLogin } from '../users/user-store.ts'
import { invalidCredentials, type TryPassword, type VerifiedUser } from './try-password.ts'

export type LoginDeps = {
  pool: Pool
  limits: RateLimits
  passwords: Pick<Passwords, 'assertCapacity'>
  tryPassword: TryPassword
  sessions: Pick<Sessions, 'open'>
}

/** Tries per login: a password hash may change during a login, because it is rehashed or reset. */
export const maxTries = 3

export function createLogin(deps: LoginDeps): AuthApi['login'] {
  const { pool, limits, passwords, tryPassword } = deps

  const attemptLogin = async (attempt: Attempt, password: string): Promise<LoggedIn> => {
    const { tenant, email } = attempt
    for (let tries = 1; tries <= maxTries; tries++) {
      const user = await findUserByEmail(pool, tenant, email)
      // Before the lock and not counted: an unconfirmed account gets the same answer after any
      // number of tries.
      if (user !== null && !user.emailVerified) throw notVerified()
      const verified = await tryPassword(attempt, user, password)
      if (verified === null) break
      const result = await openSession(deps, attempt, verified)
      if (result !== null) return result
    }
    throw invalidCredentials()
  }

  return async ({ email, password }, { tenant, client }) => {
    passwords.assertCapacity(clientLine(tenant, client))
    const work = () => attemptLogin({ tenant, email, client }, password)
    return limits.admit('login', tenant, { subject: client.address, work })
  }
}

/** Returns `null` if the password hash is no longer the one that was checked. */
function openSession(
  { pool, sessions }: LoginDeps,
  { tenant, client }: Attempt,
  { user, rehashed }: VerifiedUser,
): Promise<LoggedIn | null> {
  return inTransaction(pool, async (tx) => {
    if (!(await holdLogin(tx, user, rehashed))) return null
    await rememberClient(tx, user, client)
    return { ...(await sessions.open(tx, tenant, user)), user: toPublicUser(user) }
  })
}

const notVerified = () =>
  new AppError(
    'AUTH_EMAIL_NOT_VERIFIED',
    'The e-mail address is not confirmed yet. Send the mailed code to confirm-signup; resend-code mails another one',
  )
