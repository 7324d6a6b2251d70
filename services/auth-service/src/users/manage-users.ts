import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { UserAccount, UserChange } from '@surehook/contracts/http/admin/users'
import type { PoolClient } from 'pg'
import * as z from 'zod'
import type { Lockout } from '../limits/lockout.ts'
import type { TenantIdentity, TenantName } from '../platform/tenant.ts'
import type { EndedSessions, EndReason } from '../revocation/revocation.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { EditableFields, User } from '../user.ts'
import { applyChange, changedFields, type UserUpdate } from './apply-change.ts'
import { toAccount, userNotFound } from './read-users.ts'
import { type UserAccess, type UserAccessDeps, userAccess } from './user-access.ts'
import { type ChangeOrigin, emitUserChanges } from './user-changes.ts'
import { deleteUser, lockUser } from './user-store.ts'

export type ManageUsersDeps = UserAccessDeps & {
  writer: StateWriter
  sessions: Pick<Sessions, 'endAll' | 'endAccessTokens' | 'republish' | 'blacklist'>
  lockout: Pick<Lockout, 'clear'>
}

/**
 * The administrator's operations on one user. They resolve once every verifier can know the change.
 */
export type ManageUsers = UserAccess & {
  change(
    tenant: TenantName,
    id: string,
    change: UserChange,
    origin: ChangeOrigin,
  ): Promise<UserAccount>
  remove(tenant: TenantIdentity, id: string, origin: ChangeOrigin): Promise<void>
  logout(tenant: TenantName, id: string): Promise<void>
}

export function manageUsers(deps: ManageUsersDeps): ManageUsers {
  const { writer, sessions, lockout } = deps

  // Includes what an earlier change ended, because that may not have reached every verifier.
  const endWhat: EndWhat = async (tx, emit, { user, fields, change }) => {
    const { disabled, emailVerified, roles } = change
    const shutsOut = disabled === true || emailVerified === false || emailVerified === null
    if (!shutsOut && roles === undefined) return []
    // Read before anything ends: the revocations of this call are published anyway.
    const pending = await sessions.republish(tx, emit, at(user))
    const reason = shutOutBy(user, fields)
    if (reason !== null) return [...pending, ...(await sessions.endAll(tx, emit, at(user), reason))]
    if (!fields.includes('roles')) return pending
    return [...pending, ...(await sessions.endAccessTokens(tx, emit, at(user)))]
  }

  return {
    async change(tenant, id, change, origin) {
      const written = await writer.write(async (tx, emit) => {
        const before = await lockExisting(tx, tenant, id)
        const fields = await changedFields(tx, before, change)
        const user = await applyChange(tx, before, { fields, change, origin })
        return { user, ended: await endWhat(tx, emit, { user, fields, change }) }
      })
      await sessions.blacklist(written.ended)
      return toAccount(written.user)
    },

    async remove(tenant, id, origin) {
      const { ended, isGone } = await writer.write(async (tx, emit) => {
        const locked = await findLocked(tx, tenant, id)
        // A repeated call finds no user. It answers 404 only once every verifier knows of the
        // deletion.
        const pending = isId(id)
          ? await sessions.republish(tx, emit, { ...tenant, userId: id })
          : []
        if (locked === null) return { ended: pending, isGone: true }
        const over = await sessions.endAll(tx, emit, at(locked), 'deleted')
        const deletedAt = await deleteUser(tx, locked)
        await emitUserChanges(tx, [{ operation: 'DELETE', user: locked, at: deletedAt }], origin)
        // Redis comes last, because a repeated call finds no user. Only the commit can still fail.
        await lockout.clear(tenant, locked.email)
        return { ended: [...pending, ...over], isGone: false }
      })
      await sessions.blacklist(ended)
      if (isGone) throw userNotFound()
    },

    async logout(tenant, id) {
      const ended = await writer.write(async (tx, emit) => {
        const user = at(await lockExisting(tx, tenant, id))
        const pending = await sessions.republish(tx, emit, user)
        return [...pending, ...(await sessions.endAll(tx, emit, user, 'forced'))]
      })
      await sessions.blacklist(ended)
    },

    ...userAccess(deps),
  }
}

const at = ({ projectId, environment, id: userId }: User) => ({ projectId, environment, userId })

const isId = (id: string) => z.uuid().safeParse(id).success

const findLocked = async (tx: PoolClient, tenant: TenantName, id: string): Promise<User | null> =>
  isId(id) ? lockUser(tx, tenant, id) : null

async function lockExisting(tx: PoolClient, tenant: TenantName, id: string): Promise<User> {
  const user = await findLocked(tx, tenant, id)
  if (user === null) throw userNotFound()
  return user
}

/** Why the change ends every session; `null` when it does not. */
function shutOutBy(after: User, changed: readonly (keyof EditableFields)[]): EndReason | null {
  if (after.disabled && changed.includes('disabled')) return 'disabled'
  return !after.emailVerified && changed.includes('emailVerified') ? 'unverified' : null
}

type EndWhat = (
  tx: PoolClient,
  emit: EmitState,
  update: UserUpdate & { user: User },
) => Promise<EndedSessions>
