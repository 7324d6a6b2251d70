import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'

const batch = 500

/**
 * A job for `openExpiryDeletion`. Codes are deleted an hour after they expire, because their rows
 * hold the count of wrong tries.
 */
export const expiredCodes: ExpiryDeletion = {
  name: 'codes',
  async run(pool) {
    const { rowCount } = await pool.query(
      `delete from code where (user_id, purpose) in (
         select user_id, purpose from code where expires_at < now() - interval '1 hour'
          order by expires_at limit $1 for update skip locked)`,
      [batch],
    )
    return rowCount === batch
  },
}
