import type { UserAccount } from '@surehook/contracts/http/admin/users'
import { AppError } from '@surehook/service-kit/errors'
import { decodeCursor, type Page, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool } from 'pg'
import * as z from 'zod'
import type { TenantName } from '../platform/tenant.ts'
import { type User, userColumns } from '../user.ts'
import { findUserById } from './user-store.ts'

export const userNotFound = () => new AppError('USER_NOT_FOUND', 'No such user')

export async function findUser(pool: Pool, tenant: TenantName, id: string): Promise<User> {
  if (!z.uuid().safeParse(id).success) throw userNotFound()
  const user = await findUserById(pool, tenant, id)
  if (user === null) throw userNotFound()
  return user
}

/** Newest first: ids increase with the time of creation. */
export async function listUsers(
  pool: Pool,
  { projectId, environment }: TenantName,
  { limit, cursor, email }: Page & { email?: string | undefined },
): Promise<{ users: UserAccount[]; nextCursor: string | null }> {
  const before = decodeCursor(z.uuid(), cursor)
  const { rows } = await pool.query<User>(
    `select ${userColumns} from user_account u
      where u.project_id = $1 and u.environment = $2
        and ($3::uuid is null or u.id < $3) and ($4::text is null or u.email = $4)
      order by u.id desc limit $5`,
    [projectId, environment, before, email, limit + 1],
  )
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => id)
  return { users: page.map(toAccount), nextCursor }
}

export function toAccount(user: User): UserAccount {
  const { id, email, firstName, lastName, roles, emailVerified, disabled, attributes } = user
  return {
    ...{ id, email, firstName, lastName, roles, emailVerified, disabled, attributes },
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  }
}
