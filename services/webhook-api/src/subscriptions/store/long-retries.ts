import type { Pool, PoolClient } from 'pg'
import type { SubscriptionRow } from './subscription-row.ts'

/**
 * Records that jobs of the environment may wait on the slowest retry topics. A subscription's own
 * delays allow that, and its jobs may outlast a change of the delays.
 */
export async function noteLongRetries(tx: PoolClient, row: SubscriptionRow): Promise<void> {
  if (!row.policy?.retryDelays && !row.policy?.retryAfter) return
  await tx.query(
    `insert into long_retries (project_id, environment) values ($1, $2)
     on conflict (project_id, environment) do update set ends_at = null
     where long_retries.ends_at is not null`,
    [row.project_id, row.environment],
  )
}

/**
 * Waits, for a deleted environment, `longestMs` from the first call on. By then its last job has
 * been cancelled.
 * @returns true while it still waits
 */
export async function awaitLongRetries(
  pool: Pool,
  names: readonly string[],
  longestMs: number,
): Promise<boolean> {
  await pool.query(
    `update long_retries set ends_at = now() + $3 * interval '1 ms'
     where project_id = $1 and environment = $2 and ends_at is null`,
    [...names, longestMs],
  )
  await pool.query(
    'delete from long_retries where project_id = $1 and environment = $2 and ends_at < now()',
    [...names],
  )
  const { rows } = await pool.query(
    'select from long_retries where project_id = $1 and environment = $2',
    [...names],
  )
  return rows.length > 0
}
