import type { Me } from '@surehook/contracts/http/account'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import * as z from 'zod'
import type { CountOperation } from '../accounts/account-meters.ts'
import { passwordFaults } from '../password/password-rules.ts'
import { listOwnSessions, sessionNotFound } from '../sessions/read-sessions.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { toPublicUser, type User } from '../user.ts'
import { applyChange, changedFields } from '../users/apply-change.ts'
import { lockUser } from '../users/user-store.ts'
import { type ChangePasswordDeps, createChangePassword } from './change-password.ts'
import { assertActive, findCaller } from './find-caller.ts'
import type { Caller, SelfService } from './self-service.ts'

export type SelfServiceDeps = ChangePasswordDeps & {
  sessions: Pick<Sessions, 'endOne'>
  count: CountOperation
}

export function createSelfService(deps: SelfServiceDeps): SelfService {
  const { pool, sessions, count } = deps
  const changePassword = createChangePassword(deps)
  return {
    me: async (caller) => toMe(await findCaller(pool, caller)),
    updateMe: ({ tenant, claims }, change, origin) =>
      inTransaction(pool, async (tx) => {
        const before = assertActive(await lockUser(tx, tenant, claims.sub))
        const fields = await changedFields(tx, before, change)
        return toMe(await applyChange(tx, before, { fields, change, origin }))
      }),
    changePassword: (...args) => count('change_password', changePassword(...args)),
    changeFaults: ({ settings }, { newPassword: password }) =>
      password === undefined
        ? []
        : passwordFaults({ field: 'newPassword', password }, settings.password),
    listSessions: (caller, page) => listOwnSessions(pool, sessionOf(caller), page),
    async endSession(caller, id) {
      const sid = z.uuid().safeParse(id)
      const isEnded =
        sid.success && (await sessions.endOne({ ...sessionOf(caller), sid: sid.data }))
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
