import { randomUUID } from 'node:crypto'
import type { Role } from '@surehook/contracts/http/admin/users'
import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError } from '@surehook/service-kit/errors'
import { decodeCursor, type Page, pageOf } from '@surehook/service-kit/http/cursor'
import type { Pool, PoolClient } from 'pg'
import * as z from 'zod'
import type { TenantName } from './tenant.ts'

type Db = Pool | PoolClient

const roleColumns = 'id, name, self_assignable as "selfAssignable"'

export async function createRole(
  pool: Pool,
  { projectId, environment }: TenantName,
  { name, selfAssignable }: Pick<Role, 'name' | 'selfAssignable'>,
): Promise<Role> {
  const { rows } = await pool.query<Role>(
    `insert into role (id, project_id, environment, name, self_assignable) values ($1, $2, $3, $4, $5)
     on conflict (project_id, environment, name) do nothing returning ${roleColumns}`,
    [randomUUID(), projectId, environment, name, selfAssignable],
  )
  const [role] = rows
  if (role === undefined) throw new AppError('CONFLICT', 'There is a role of this name')
  return role
}

export async function listRoles(
  pool: Pool,
  { projectId, environment }: TenantName,
  { limit, cursor }: Page,
): Promise<{ roles: Role[]; nextCursor: string | null }> {
  const after = decodeCursor(z.string().max(64), cursor)
  const { rows } = await pool.query<Role>(
    `select ${roleColumns} from role
      where project_id = $1 and environment = $2 and ($3::text is null or name > $3)
      order by name limit $4`,
    [projectId, environment, after, limit + 1],
  )
  const { page, nextCursor } = pageOf(rows, limit, ({ name }) => name)
  return { roles: page, nextCursor }
}

/** Returns the name of a role that users may give themselves, or `null`. */
export async function findSelfAssignableRole(
  db: Db,
  { projectId, environment }: TenantName,
  id: string,
): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(
    `select name from role
      where project_id = $1 and environment = $2 and id = $3 and self_assignable`,
    [projectId, environment, id],
  )
  return rows[0]?.name ?? null
}

/** Returns a violation of the field `roles` for each name that is no role of the environment. */
export async function unknownRoles(
  db: Db,
  tenant: TenantName,
  names: readonly string[],
): Promise<RuledViolation[]> {
  return names.length === 0 ? [] : roleFaults(names, await knownRoles(db, tenant, names))
}

export function roleFaults(roles: readonly string[], known: ReadonlySet<string>): RuledViolation[] {
  const fault = { message: 'is not a role of the environment', rule: 'unknown_role' } as const
  return roles.flatMap((role, index) =>
    known.has(role) ? [] : [{ field: `roles.${index}`, ...fault }],
  )
}

export async function knownRoles(
  db: Db,
  { projectId, environment }: TenantName,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ name: string }>(
    'select name from role where project_id = $1 and environment = $2 and name = any($3)',
    [projectId, environment, names],
  )
  return new Set(rows.map(({ name }) => name))
}
