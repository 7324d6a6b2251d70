import type { UserLock } from '@surehook/contracts/http/admin/user-access'
import type { Page } from '@surehook/service-kit/http/cursor'
import type { Pool } from 'pg'
import * as z from 'zod'
import type { Lockout } from '../limits/lockout.ts'
import type { LockScope } from '../limits/locks.ts'
import type { TenantIdentity, TenantName } from '../platform/tenant.ts'
import { listOpenSessions, sessionNotFound } from '../sessions/read-sessions.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { findUser } from './read-users.ts'

export type UserAccessDeps = {
  pool: Pool
  sessions: Pick<Sessions, 'endOne'>
  lockout: Pick<Lockout, 'clear' | 'read'>
}

/** Where a user is signed in, and what keeps the user from signing in. */
export type UserAccess = {
  sessions(
    tenant: TenantName,
    id: string,
    page: Page,
  ): Promise<Awaited<ReturnType<typeof listOpenSessions>>>
  /** Throws SESSION_NOT_FOUND if the user has no such session. */
  endSession(tenant: TenantName, id: string, sessionId: string): Promise<void>
  lock(tenant: TenantIdentity, id: string, scope: LockScope): Promise<UserLock>
  unlock(tenant: TenantIdentity, id: string): Promise<void>
}

export function userAccess({ pool, sessions, lockout }: UserAccessDeps): UserAccess {
  const find = async (tenant: TenantName, id: string) => {
    const { id: userId, email } = await findUser(pool, tenant, id)
    const { projectId, environment } = tenant
    return { user: { projectId, environment, userId }, email }
  }
  return {
    async sessions(tenant, id, page) {
      return listOpenSessions(pool, (await find(tenant, id)).user, page)
    },

    async endSession(tenant, id, sessionId) {
      const { user } = await find(tenant, id)
      const isEnded =
        z.uuid().safeParse(sessionId).success &&
        (await sessions.endOne({ ...user, sid: sessionId, reason: 'forced' }))
      if (!isEnded) throw sessionNotFound()
    },

    async lock(tenant, id, scope) {
      return lockout.read(tenant, { email: (await find(tenant, id)).email, scope })
    },

    async unlock(tenant, id) {
      await lockout.clear(tenant, (await find(tenant, id)).email)
    },
  }
}
