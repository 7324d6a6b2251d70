import type { Me } from '@surehook/contracts/http/account'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import * as z from 'zod'
import type { CountOperation } from '../accounts/account-meters.ts'
import { passwordFaults } from '../password/password-rules.ts'
import { listOwnSessions, sessionNotFound } from '../sessions/read-sessions.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AuthApi } from '../use-cases/auth-api.ts'
import type { Caller, CallerOf } from '../use-cases/call.ts'
import { toPublicUser, type User } from '../user.ts'
import { applyChange, changedFields } from '../users/apply-change.ts'
import { lockUser } from '../users/user-store.ts'
import { type ChangePasswordDeps, createChangePassword } from './change-password.ts'
import { assertActive, findCaller } from './find-caller.ts'

export type SelfServiceDeps = ChangePasswordDeps & {
  sessions: Pick<Sessions, 'endOne'>
  count: CountOperation
  callerOf: CallerOf
}

export type SelfService = Pick<
  AuthApi,
  'me' | 'updateMe' | 'changePassword' | 'changeFaults' | 'listSessions' | 'endSession'
>

/**
 * The use cases of users on their own account. Each rejects with AUTH_TOKEN_INVALID if the user is
 * deleted or disabled.
 */
export function createSelfService(deps: SelfServiceDeps): SelfService {
  const { pool, sessions, count, callerOf } = deps
  const changePassword = createChangePassword(deps)
  return {
    me: async (_, call) => toMe(await findCaller(pool, await callerOf(call))),
    async updateMe(change, call) {
      const { tenant, claims } = await callerOf(call)
      return inTransaction(pool, async (tx) => {
        const before = assertActive(await lockUser(tx, tenant, claims.sub))
        const fields = await changedFields(tx, before, change)
        return toMe(await applyChange(tx, before, { fields, change, origin: call.origin }))
      })
    },
    async changePassword(change, call) {
      const caller = await callerOf(call)
      await count('change_password', changePassword(caller, change, call.client))
      return { message: 'The password is changed', userId: caller.claims.sub }
    },
    changeFaults: async ({ newPassword: password }, { tenant }) =>
      password === undefined
        ? []
        : passwordFaults({ field: 'newPassword', password }, tenant.settings.password),
    listSessions: async (page, call) =>
      listOwnSessions(pool, sessionOf(await callerOf(call)), page),
    async endSession({ id }, call) {
      const session = sessionOf(await callerOf(call))
      const sid = z.uuid().safeParse(id)
      const isEnded = sid.success && (await sessions.endOne({ ...session, sid: sid.data }))
      if (!isEnded) throw sessionNotFound()
    },
  }
}

function sessionOf({ tenant: { projectId, environment }, claims: { sub: userId, sid } }: Caller) {
  return { projectId, environment, userId, sid }
}

function toMe(user: User): Me {
  const { emailVerified, createdAt, updatedAt } = user
  return {
    ...toPublicUser(user),
    emailVerified,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
