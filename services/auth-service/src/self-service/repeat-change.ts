import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Pool } from 'pg'
import type { TryPassword } from '../accounts/try-password.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { EndedSessions } from '../revocation/revocation.ts'
import { hasChangedPassword, lockSession } from '../sessions/read-sessions.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Caller, Client } from '../use-cases/call.ts'
import { holdLogin } from '../users/user-store.ts'
import { callerIsGone, findCaller } from './find-caller.ts'

export type RepeatChangeDeps = {
  pool: Pool
  writer: StateWriter
  limits: Pick<RateLimits, 'admit'>
  tryPassword: TryPassword
  sessions: Pick<Sessions, 'republish'>
}

/**
 * Repeats a change that took effect but got 503: publishes again what it ended. Returns `null` if
 * the session has made no such change, or the new password is not the user's.
 *
 * The new password is a second guess, so it counts like a second login: against the limit of the
 * client, and for the lockout. Call it only after the old password was tried and counted.
 */
export async function repeatChange(
  { pool, writer, limits, tryPassword, sessions }: RepeatChangeDeps,
  caller: Caller,
  { newPassword, client }: { newPassword: string; client: Client },
): Promise<EndedSessions | null> {
  const { tenant, claims } = caller
  const { projectId, environment } = tenant
  const session = { projectId, environment, userId: claims.sub, sid: claims.sid }
  // Without this, every mistyped old password would count twice.
  if (!(await hasChangedPassword(pool, session))) return null
  const verified = await limits.admit('login', tenant, {
    subject: client.address,
    work: async () => {
      const user = await findCaller(pool, caller)
      return tryPassword({ tenant, email: user.email, client }, user, newPassword)
    },
  })
  if (verified === null) return null
  return writer.write(async (tx, emit) => {
    if (!(await holdLogin(tx, verified.user, verified.rehashed))) return null
    if ((await lockSession(tx, session)) !== true) throw callerIsGone()
    return sessions.republish(tx, emit, session)
  })
}
