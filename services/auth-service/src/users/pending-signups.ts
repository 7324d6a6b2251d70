import type { PoolClient } from 'pg'
import type { User } from '../user.ts'
import { writeDecoy } from '../write-decoy.ts'

/** Records that the address of a new account awaits confirmation, and the network of the signup. */
export async function addPendingSignup(
  tx: PoolClient,
  { id, projectId, environment }: User,
  network: string,
): Promise<void> {
  await tx.query(
    `insert into pending_signup (user_id, project_id, environment, signed_up_at, network)
     values ($1, $2, $3, now(), $4)`,
    [id, projectId, environment, network],
  )
}

/**
 * Marks the account as contested if its address is not confirmed, its password is still the one
 * that was compared, and the signup came from another network. Writes as much if nothing is marked,
 * so that the time is the same.
 */
export async function contestSignup(
  db: Pick<PoolClient, 'query'>,
  { id, projectId, environment, passwordHash }: User,
  { network, samePassword }: { network: string; samePassword: boolean },
): Promise<void> {
  await db.query(
    `with waiting as (
       select u.id, u.project_id, u.environment from user_account u
        where u.project_id = $1 and u.environment = $2 and u.id = $3
          and not u.email_verified and u.password_hash = $4 and not $6
          for share
     ),
     contested as (
       insert into pending_signup as p (user_id, project_id, environment, contested)
       select id, project_id, environment, true from waiting
       on conflict (user_id) do update set contested = true where p.network is distinct from $5
       returning p.user_id
     )
     select case when not exists (select from contested) then ${writeDecoy} end`,
    [projectId, environment, id, passwordHash, network, samePassword],
  )
}

/**
 * Call it after locking the user, when an administrator decided whether the address is confirmed.
 * Removes a contested password.
 */
export async function endPendingSignup(
  tx: PoolClient,
  { id, projectId, environment }: Pick<User, 'id' | 'projectId' | 'environment'>,
): Promise<void> {
  await tx.query(
    `with ended as (
       delete from pending_signup p
        where p.project_id = $1 and p.environment = $2 and p.user_id = $3
       returning p.contested
     )
     update user_account u set password_hash = null, hash_work = null
      where u.project_id = $1 and u.environment = $2 and u.id = $3
        and exists (select from ended where contested)`,
    [projectId, environment, id],
  )
}
