import type { UserLock } from '@surehook/contracts/http/admin/user-access'
import type { Page } from '@surehook/service-kit/http/cursor'
import type { Pool } from 'pg'
import * as z from 'zod'
import type { Lockout } from '../limits/lockout.ts'
import type { LockScope } from '../limits/locks.ts'
import { listOpenSessions, sessionNotFound } from '../sessions/read-sessions.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { findUser } from './read-users.ts'
import type { UserPlace } from './user-store.ts'

export type UserAccessDeps = {
  pool: Pool
  sessions: Pick<Sessions, 'endOne'>
  lockout: Pick<Lockout, 'clear' | 'read'>
}

/** Where a user is signed in, and what keeps the user from signing in. */
export type UserAccess = {
  sessions(
    place: UserPlace,
    id: string,
    page: Page,
  ): Promise<Awaited<ReturnType<typeof listOpenSessions>>>
  /** Throws SESSION_NOT_FOUND if the user has no such session. */
  endSession(place: UserPlace, id: string, sessionId: string): Promise<void>
  lock(place: UserPlace, id: string, scope: LockScope): Promise<UserLock>
  unlock(place: UserPlace, id: string): Promise<void>
}

export function userAccess({ pool, sessions, lockout }: UserAccessDeps): UserAccess {
  const find = async (place: UserPlace, id: string) => {
    const { id: userId, email } = await findUser(pool, place, id)
    const { projectId, environment } = place
    return { user: { projectId, environment, userId }, email }
  }
  return {
    async sessions(place, id, page) {
      return listOpenSessions(pool, (await find(place, id)).user, page)
    },

    async endSession(place, id, sessionId) {
      const { user } = await find(place, id)
      const isEnded =
        z.uuid().safeParse(sessionId).success &&
        (await sessions.endOne({ ...user, sid: sessionId, reason: 'forced' }))
      if (!isEnded) throw sessionNotFound()
    },

    async lock(place, id, scope) {
      return lockout.read(place, { email: (await find(place, id)).email, scope })
    },

    async unlock(place, id) {
      await lockout.clear(place, (await find(place, id)).email)
    },
  }
}
