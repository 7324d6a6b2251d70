import type { MailLocale } from '@surehook/contracts/http/admin/auth-settings'
import { newEventId } from '@surehook/contracts/ids'
import type { Pool, PoolClient } from 'pg'
import { foreignWorkOf, schemeOf } from '../password/password-hash.ts'
import type { TenantName } from '../platform/tenant.ts'
import { type EditableFields, type User, userColumns } from '../user.ts'
import { endPendingSignup } from './pending-signups.ts'

type Db = Pool | PoolClient

export type NewUser = Pick<
  User,
  'email' | 'passwordHash' | 'firstName' | 'lastName' | 'roles' | 'emailVerified'
> & { locale?: MailLocale | null; attributes?: User['attributes'] }

/**
 * The time of a user's next change. It is later than the last one, even if the clock was set back.
 */
const nextUpdate = `greatest(
  date_trunc('milliseconds', clock_timestamp()),
  u.updated_at + interval '1 millisecond')`

export async function findUserByEmail(
  db: Db,
  { projectId, environment }: TenantName,
  email: string,
): Promise<User | null> {
  const { rows } = await db.query<User>({
    name: 'user-by-email',
    text: `select ${userColumns} from user_account u
            where u.project_id = $1 and u.environment = $2 and u.email = $3`,
    values: [projectId, environment, email],
  })
  return rows[0] ?? null
}

export async function findUserById(
  db: Db,
  { projectId, environment }: TenantName,
  id: string,
): Promise<User | null> {
  const { rows } = await db.query<User>({
    name: 'user-by-id',
    text: `select ${userColumns} from user_account u
            where u.project_id = $1 and u.environment = $2 and u.id = $3`,
    values: [projectId, environment, id],
  })
  return rows[0] ?? null
}

/**
 * The scheme of the costliest password hash of the environment that is not of our own parameters.
 */
export async function findCostliestScheme(
  db: Db,
  { projectId, environment }: TenantName,
): Promise<string | null> {
  const { rows } = await db.query<{ hash: string }>({
    name: 'costliest-hash',
    text: `select u.password_hash as hash from user_account u
            where u.project_id = $1 and u.environment = $2 and u.hash_work is not null
            order by u.hash_work desc limit 1`,
    values: [projectId, environment],
  })
  return rows[0] === undefined ? null : schemeOf(rows[0].hash)
}

/** Inserts the users whose address is free, and returns them. */
export async function insertUsers(
  tx: PoolClient,
  { projectId, environment }: TenantName,
  users: readonly NewUser[],
): Promise<User[]> {
  const { rows } = await tx.query<User>(
    `with clock as materialized (select date_trunc('milliseconds', clock_timestamp()) as at)
     insert into user_account as u
       (id, project_id, environment, email, password_hash, hash_work, first_name, last_name,
        roles, email_verified, locale, attributes, created_at, updated_at)
     select n.id, $1, $2, n.email, n.password_hash, n.hash_work, n.first_name, n.last_name,
            array(select json_array_elements_text(n.roles)), n.email_verified, n.locale,
            n.attributes, clock.at, clock.at
       from clock,
            unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[],
                   $9::boolean[], $10::int[], $11::text[], $12::json[])
              as n(id, email, password_hash, first_name, last_name, roles,
                   email_verified, hash_work, locale, attributes)
     on conflict (project_id, environment, email) do nothing
     returning ${userColumns}`,
    [
      projectId,
      environment,
      users.map(newEventId),
      users.map(({ email }) => email),
      users.map(({ passwordHash }) => passwordHash),
      users.map(({ firstName }) => firstName),
      users.map(({ lastName }) => lastName),
      users.map(({ roles }) => JSON.stringify(roles)),
      users.map(({ emailVerified }) => emailVerified),
      users.map(({ passwordHash }) => foreignWorkOf(passwordHash)),
      users.map(({ locale }) => locale ?? null),
      users.map(({ attributes = {} }) => JSON.stringify(attributes)),
    ],
  )
  return rows
}

/**
 * Marks the user as verified. Returns `null` if the user was already verified, is disabled or is
 * gone. Removes a contested password: the person who confirmed the address may not be the one who
 * chose the password.
 */
export async function markVerified(
  tx: PoolClient,
  { projectId, environment }: TenantName,
  id: string,
): Promise<User | null> {
  const { rows } = await tx.query<User>(
    `update user_account u set email_verified = true, updated_at = ${nextUpdate}
      where u.project_id = $1 and u.environment = $2 and u.id = $3
        and not u.email_verified and not u.disabled
      returning ${userColumns}`,
    [projectId, environment, id],
  )
  const [user] = rows
  if (user === undefined) return null
  await endPendingSignup(tx, user)
  return user
}

/**
 * Locks the user until the end of the transaction. Returns true if the checked password is still
 * valid. A reset or a disabling therefore runs either before the login or after it, when it finds
 * the new session.
 */
export async function holdLogin(
  tx: PoolClient,
  { id, projectId, environment, passwordHash }: User,
  rehashed: string | null,
): Promise<boolean> {
  const same = `u.project_id = $1 and u.environment = $2 and u.id = $3 and u.password_hash = $4
    and u.email_verified and not u.disabled`
  const values = [projectId, environment, id, passwordHash]
  const { rowCount } =
    rehashed === null
      ? await tx.query(`select from user_account u where ${same} for share`, values)
      : await tx.query(
          `update user_account u set password_hash = $5, hash_work = null where ${same}`,
          [...values, rehashed],
        )
  return rowCount === 1
}

/** Returns false if the user is disabled or gone. */
export async function setPassword(
  tx: PoolClient,
  { projectId, environment }: TenantName,
  { id, passwordHash }: { id: string; passwordHash: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update user_account set password_hash = $4, hash_work = null
      where project_id = $1 and environment = $2 and id = $3 and not disabled`,
    [projectId, environment, id, passwordHash],
  )
  return rowCount === 1
}

/**
 * False when the password is no longer the one that was checked, or the user is disabled or gone.
 */
export async function replacePassword(
  tx: PoolClient,
  { id, projectId, environment, passwordHash }: User,
  replacement: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update user_account set password_hash = $5, hash_work = null
      where project_id = $1 and environment = $2 and id = $3 and password_hash = $4
        and not disabled`,
    [projectId, environment, id, passwordHash, replacement],
  )
  return rowCount === 1
}

/** The user, locked against every other change, for one of its own. */
export async function lockUser(
  tx: PoolClient,
  { projectId, environment }: TenantName,
  id: string,
): Promise<User | null> {
  const { rows } = await tx.query<User>(
    `select ${userColumns} from user_account u
      where u.project_id = $1 and u.environment = $2 and u.id = $3 for update`,
    [projectId, environment, id],
  )
  return rows[0] ?? null
}

/** Call it after `lockUser`. */
export async function updateUser(
  tx: PoolClient,
  { projectId, environment, id }: User,
  fields: EditableFields,
): Promise<User> {
  const { firstName, lastName, roles, disabled, emailVerified, attributes } = fields
  const { rows } = await tx.query<User>(
    `update user_account u
        set first_name = $4, last_name = $5, roles = $6, disabled = $7, email_verified = $8,
            attributes = $9, updated_at = ${nextUpdate}
      where u.project_id = $1 and u.environment = $2 and u.id = $3
      returning ${userColumns}`,
    [
      ...[projectId, environment, id, firstName, lastName, roles, disabled, emailVerified],
      JSON.stringify(attributes),
    ],
  )
  const [user] = rows
  if (user === undefined) throw new Error('A locked user is gone')
  return user
}

/**
 * Call it after `lockUser`. Also deletes the user's waiting mails. Returns the time of the
 * deletion.
 */
export async function deleteUser(
  tx: PoolClient,
  { projectId, environment, id }: User,
): Promise<Date> {
  const { rows } = await tx.query<{ at: Date }>(
    `with gone as (
       delete from user_account u where u.project_id = $1 and u.environment = $2 and u.id = $3
       returning u.email, ${nextUpdate} as at
     ),
     unsent as (
       delete from mail_outbox m using gone
        where m.project_id = $1 and m.environment = $2 and m.recipient = gone.email
     )
     select at from gone`,
    [projectId, environment, id],
  )
  const [row] = rows
  if (row === undefined) throw new Error('A locked user is gone')
  return row.at
}

/**
 * Deletes the users whose address is still not confirmed, and their waiting mails. `at` is the time
 * of the deletion.
 */
export async function deleteUnverified(
  tx: PoolClient,
  ids: readonly string[],
): Promise<(User & { at: Date })[]> {
  const { rows } = await tx.query<User & { at: Date }>(
    `with gone as (
       delete from user_account u where u.id in (
         select id from user_account where id = any($1) and not email_verified
          order by id for update skip locked)
       returning ${userColumns}, ${nextUpdate} as at
     ),
     unsent as (
       delete from mail_outbox m using gone
        where m.project_id = gone."projectId" and m.environment = gone.environment
          and m.recipient = gone.email
     )
     select * from gone`,
    [ids],
  )
  return rows
}
