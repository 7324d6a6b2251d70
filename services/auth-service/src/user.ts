import type { UserAttributes } from '@surehook/contracts/http/admin/user-attributes'
import type { PublicUser } from '@surehook/contracts/http/auth'

export type User = {
  id: string
  projectId: string
  environment: string
  /** Trimmed and in lower case. */
  email: string
  passwordHash: string | null
  firstName: string
  lastName: string
  roles: string[]
  emailVerified: boolean
  disabled: boolean
  attributes: UserAttributes
  createdAt: Date
  updatedAt: Date
}

/** What a request may change. */
export const editableFields = [
  'firstName',
  'lastName',
  'roles',
  'disabled',
  'emailVerified',
  'attributes',
] as const
export type EditableFields = Pick<User, (typeof editableFields)[number]>

/** The columns of `user_account` (as `u`) under the names of `User`. */
export const userColumns = `u.id, u.project_id as "projectId", u.environment, u.email,
  u.password_hash as "passwordHash", u.first_name as "firstName", u.last_name as "lastName",
  u.roles, u.email_verified as "emailVerified", u.disabled, u.attributes,
  u.created_at as "createdAt", u.updated_at as "updatedAt"`

/** The fields of a user that the answer to a login contains. */
export function toPublicUser({ id, email, firstName, lastName, roles }: User): PublicUser {
  return { id, email, firstName, lastName, roles }
}
