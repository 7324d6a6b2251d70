import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { Pool, PoolClient } from 'pg'
import { isRebuilding } from '../rebuild/rebuild-store.ts'
import type { Pools } from '../tenants/open-database.ts'
import { foldFailures } from './fold-failures.ts'

/** Records since when subscriptions have been failing. A repeated report changes nothing. */
export async function recordFailures(
  pool: Pool,
  transitions: readonly DeliveryAttempt[],
): Promise<void> {
  const health = foldFailures(transitions)
  const succeeded = health.filter(({ succeededAt }) => succeededAt !== null)
  if (succeeded.length > 0) {
    await pool.query(forget, [
      succeeded.map(({ subscriptionId }) => subscriptionId),
      succeeded.map(({ succeededAt }) => new Date(succeededAt ?? 0)),
    ])
  }
  const failing = health.flatMap(({ subscriptionId, failed }) =>
    failed === null ? [] : [{ subscriptionId, ...failed }],
  )
  if (failing.length === 0) return
  await pool.query(remember, [
    failing.map(({ subscriptionId }) => subscriptionId),
    failing.map(({ since }) => new Date(since)),
    failing.map(({ at }) => new Date(at)),
  ])
}

// Locked in a fixed order, so that two replicas never deadlock.
const forget = `
  with known as (
    select f.subscription_id from failing_subscription f
    join unnest($1::uuid[], $2::timestamptz[]) as success(id, at)
      on success.id = f.subscription_id and f.failing_since <= success.at
    order by f.subscription_id for update of f)
  delete from failing_subscription f using known where f.subscription_id = known.subscription_id`

// Ignores failures from before the subscription's last change: that change may have reset its
// failures, and a second reading of the log brings them again. A deleted subscription has no row to
// join.
const remember = `
  insert into failing_subscription as f (subscription_id, failing_since, failed_at)
  select s.id, greatest(failure.since, s.changed_at), failure.at
  from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as failure(id, since, at)
  join (select id, nullif(updated_at, created_at) as changed_at from subscription) s
    on s.id = failure.id and failure.at > coalesce(s.changed_at, '-infinity')
  order by s.id
  on conflict (subscription_id) do update set
    failing_since = least(f.failing_since, excluded.failing_since),
    failed_at = greatest(f.failed_at, excluded.failed_at)`

/** Call it for a subscription that was reactivated, moved to another URL or deleted. */
export async function forgetFailures(db: Pool | PoolClient, subscriptionId: string): Promise<void> {
  await forgetFailing(db, subscriptionId)
  await db.query('delete from incident where subscription_id = $1', [subscriptionId])
}

export async function forgetFailing(db: Pool | PoolClient, subscriptionId: string): Promise<void> {
  await db.query('delete from failing_subscription where subscription_id = $1', [subscriptionId])
}

export type Failing = { subscriptionId: string; since: Date }

/**
 * Returns the subscription that has failed longest, if for at least `forMs`. Returns none during a
 * rebuild, because successes may be missing.
 * @param except subscriptions to leave out
 */
export async function findFailing(
  { pool, historyPool }: Pools,
  { forMs, except }: { forMs: number; except: readonly string[] },
): Promise<Failing | undefined> {
  if (await isRebuilding(historyPool)) return undefined
  const { rows } = await pool.query<Failing>(
    `select subscription_id as "subscriptionId", failing_since as since from failing_subscription
     where failed_at - failing_since >= $1 * interval '1 ms'
       and subscription_id <> all($2::uuid[])
     order by failing_since limit 1`,
    [forMs, except],
  )
  return rows[0]
}

/**
 * Returns whether the subscription has succeeded since then: a success may be read before an earlier
 * failure. During a rebuild it may have. Call it before the transaction, which does not wait for the
 * history.
 */
export async function mayHaveSucceeded(
  historyPool: Pool,
  { subscriptionId, since }: Failing,
): Promise<boolean> {
  const { rowCount } = await historyPool.query(
    `select from delivery
     where subscription_id = $1 and status = 'delivered' and attempted_at > $2 limit 1`,
    [subscriptionId, since],
  )
  return rowCount !== 0 || (await isRebuilding(historyPool))
}

/**
 * Returns whether the subscription has still been failing since then, and locks its row until the
 * transaction ends. A success that was read meanwhile has deleted the row.
 */
export async function lockFailing(tx: PoolClient, { subscriptionId, since }: Failing) {
  const { rowCount } = await tx.query(
    `select from failing_subscription f
     where subscription_id = $1 and date_trunc('milliseconds', failing_since) = $2
     for update of f`,
    [subscriptionId, since],
  )
  return rowCount === 1
}
