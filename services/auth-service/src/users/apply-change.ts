import { isDeepStrictEqual } from 'node:util'
import type { UserChange } from '@surehook/contracts/http/admin/users'
import { invalid } from '@surehook/service-kit/errors'
import type { PoolClient } from 'pg'
import { unknownRoles } from '../platform/roles.ts'
import { type EditableFields, editableFields, type User } from '../user.ts'
import { endPendingSignup } from './pending-signups.ts'
import { type ChangeOrigin, emitUserChanges } from './user-changes.ts'
import { updateUser } from './user-store.ts'

export type UserUpdate = { fields: (keyof EditableFields)[]; change: UserChange }

/** Changes the locked user and returns the new state. Does nothing if no field differs. */
export async function applyChange(
  tx: PoolClient,
  before: User,
  { fields, change, origin }: UserUpdate & { origin: ChangeOrigin },
): Promise<User> {
  if (fields.length === 0) return before
  const after = await updateUser(tx, before, { ...before, ...given(change) })
  if (fields.includes('emailVerified')) await endPendingSignup(tx, after)
  const event = { operation: 'UPDATE', user: after, changedFields: fields } as const
  await emitUserChanges(tx, [event], origin)
  return after
}

/** Returns the fields that differ. Throws VALIDATION_ERROR for unknown roles. */
export async function changedFields(
  tx: PoolClient,
  before: User,
  change: UserChange,
): Promise<(keyof EditableFields)[]> {
  const after = given(change)
  if (after.roles !== undefined) {
    const violations = await unknownRoles(tx, before, after.roles)
    if (violations.length > 0) throw invalid(violations)
  }
  return editableFields.filter(
    (name) => after[name] !== undefined && !isDeepStrictEqual(after[name], before[name]),
  )
}

/** Returns the fields of the request. `null` clears a field. */
function given(change: UserChange): Partial<EditableFields> {
  const names = editableFields.filter((name) => change[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, change[name] ?? cleared[name]]))
}

const cleared: EditableFields = {
  ...{ firstName: '', lastName: '', roles: [], attributes: {} },
  ...{ disabled: false, emailVerified: false },
}
