import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'

const batch = 500

/**
 * A job for `openExpiryDeletion`. Rows with a count of wrong tries stay until its week is over.
 */
export const expiredCodes: ExpiryDeletion = {
  name: 'codes',
  async run(pool) {
    const { rowCount } = await pool.query(
      `delete from code where (user_id, purpose) in (
         select user_id, purpose from code where expires_at < now() - interval '1 hour'
            and (wrong_tries = 0 or wrong_since <= now() - interval '7 days')
          order by expires_at limit $1 for update skip locked)`,
      [batch],
    )
    return rowCount === batch
  },
}
