import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Pool } from 'pg'

const batch = 1_000

const expiredRevocations: ExpiryDeletion = {
  name: 'revocations',
  async run(pool) {
    const { rowCount } = await pool.query(
      `delete from revocation where session_id in (
         select session_id from revocation where expires_at < clock_timestamp()
          order by expires_at limit $1 for update skip locked)`,
      [batch],
    )
    return rowCount === batch
  },
}

/**
 * Walks the primary key. An index on the expiry times would cost more, because each refresh would
 * update it. A deleted session answers like one that never existed.
 */
function oldSessions(): ExpiryDeletion {
  let after: string | null = null
  return {
    name: 'sessions',
    async run(pool) {
      const last: string | null = await deleteFrom(pool, after)
      after = last
      return last !== null
    },
  }
}

/** @returns where to go on; `null` at the end of the table */
async function deleteFrom(pool: Pool, after: string | null): Promise<string | null> {
  const { rows } = await pool.query<{ last: string | null; seen: string }>(
    `with walked as (
       select id, least(idle_expires_at, expires_at, ended_at) + interval '1 day' < clock_timestamp()
                  and access_expires_at < clock_timestamp() as old
         from session where $1::uuid is null or id > $1 order by id limit $2
     ),
     gone as (delete from session s using walked w where s.id = w.id and w.old)
     select (select id from walked order by id desc limit 1) as last, count(*) as seen from walked`,
    [after, batch],
  )
  const [row] = rows
  return row !== undefined && Number(row.seen) === batch ? row.last : null
}

/** Jobs for `openExpiryDeletion`. */
export const sessionDeletions = (): ExpiryDeletion[] => [expiredRevocations, oldSessions()]
