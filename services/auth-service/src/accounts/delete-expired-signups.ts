import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { PoolClient } from 'pg'
import { emitUserChanges } from '../users/user-changes.ts'
import { deleteUnverified } from '../users/user-store.ts'

const batch = 200
/** Of one environment in one batch. */
const share = 20
const noOrigin = { requestId: null, traceparent: null }

/** Deletes accounts whose address nobody confirmed in time, and tells of it as of every deletion. */
export const expiredSignups = (log: Logger): ExpiryDeletion => ({
  name: 'signups',
  async run(pool) {
    const { found, deleted } = await inTransaction(pool, async (tx) => {
      const ids = await findExpired(tx)
      const users = await deleteUnverified(tx, ids)
      const changes = users.map(({ at, ...user }) => ({ operation: 'DELETE', user, at }) as const)
      await emitUserChanges(tx, changes, noOrigin)
      return { found: ids.length, deleted: users.length }
    })
    if (deleted > 0) log.info({ deleted }, 'signups.expired')
    return deleted > 0 && found > 0
  },
})

/** The oldest of each environment first: a crowd in one does not hold up the others. Their codes are locked. */
async function findExpired(tx: PoolClient): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select p.user_id as id
       from environment e
      cross join lateral (
        select p.user_id, row_number() over (order by p.signed_up_at) as turn
          from pending_signup p
         where p.project_id = e.project_id and p.environment = e.name
           and p.signed_up_at
               < now() - coalesce((e.auth_overrides ->> 'unverifiedAccountTtl')::int, $1) * interval '1 second'
         order by p.signed_up_at limit ${share}
      ) p
      where e.deleted_at is null
      order by p.turn limit ${batch}`,
    [defaultAuthSettings.unverifiedAccountTtl],
  )
  const ids = rows.map(({ id }) => id)
  // In the order in which a confirmation locks: the code, then the user.
  await tx.query('select from code where user_id = any($1) order by user_id, purpose for update', [
    ids,
  ])
  return ids
}
