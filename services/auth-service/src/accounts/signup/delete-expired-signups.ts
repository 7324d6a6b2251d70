import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { PoolClient } from 'pg'
import { emitUserChanges } from '../../users/user-changes.ts'
import { deleteUnverified } from '../../users/user-store.ts'

const batch = 200
/** The most accounts that one batch takes from one environment. */
const share = 20
const noOrigin = { requestId: null, traceparent: null }

/**
 * Deletes accounts whose address nobody confirmed in time, and publishes DELETE events for them.
 */
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

/**
 * Finds the oldest accounts of each environment, so that one with many does not delay the others.
 * Locks their codes.
 */
async function findExpired(tx: PoolClient): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select p.user_id as id
       from environment e
      cross join lateral (
        select p.user_id, row_number() over (order by p.signed_up_at) as turn
          from pending_signup p
         where p.project_id = e.project_id and p.environment = e.name
           and p.signed_up_at
               < now() - interval '1 second'
                 * coalesce((e.auth_overrides ->> 'unverifiedAccountTtl')::int, $1)
         order by p.signed_up_at limit ${share}
      ) p
      where e.deleted_at is null
      order by p.turn limit ${batch}`,
    [defaultAuthSettings.unverifiedAccountTtl],
  )
  const ids = rows.map(({ id }) => id)
  // A confirmation locks in the same order (code, then user), so that the two cannot deadlock.
  await tx.query('select from code where user_id = any($1) order by user_id, purpose for update', [
    ids,
  ])
  return ids
}
