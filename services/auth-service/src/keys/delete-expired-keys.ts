import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'

const batch = 200

/**
 * A job for `openExpiryDeletion`. A key has ended when the next key of its use is active and its
 * last token has expired. It is deleted an hour later, after any late reader. The oldest key is
 * deleted first, because each key's end is computed from its successor.
 */
export const endedKeys: ExpiryDeletion = {
  name: 'keys',
  async run(pool) {
    const { rowCount } = await pool.query(
      `delete from signing_key where (project_id, environment, kid) in (
         select k.project_id, k.environment, k.kid
           from signing_key k
           cross join lateral (
             select min(s.active_from) filter (where s.active_from > k.active_from) as next_from,
                    min(s.active_from) as first_from
               from signing_key s
              where s.project_id = k.project_id and s.environment = k.environment and s.use = k.use) o
          where k.active_from = o.first_from
            and o.next_from + k.longest_ttl * interval '1 second' + interval '1 hour' < clock_timestamp()
          limit $1 for update of k skip locked)`,
      [batch],
    )
    return rowCount === batch
  },
}
