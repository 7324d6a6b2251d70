import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { Pool, PoolClient } from 'pg'
import { isRebuilding } from '../rebuild/rebuild-store.ts'
import type { SubscriptionRow } from '../subscriptions/store/subscription-row.ts'
import type { Pools } from '../tenants/open-database.ts'

const gone = 410

/**
 * Stores 410 answers of subscriptions with the policy `deactivate`. An answer from before the last
 * change of the subscription does not count, so it may be read again. If clocks differ, a 410 may
 * be missed, and the next 410 counts.
 * @returns true if it stored any
 */
export async function recordGone(
  pool: Pool,
  transitions: readonly DeliveryAttempt[],
): Promise<boolean> {
  const answers = transitions.filter(
    ({ attempted, httpStatus }) => attempted && httpStatus === gone,
  )
  if (answers.length === 0) return false
  const { rowCount } = await pool.query(remember, [
    answers.map(({ subscriptionId }) => subscriptionId),
    answers.map(({ url }) => url),
    answers.map(({ at }) => new Date(at)),
    answers.map(({ projectId }) => projectId),
    answers.map(({ environment }) => environment),
  ])
  return rowCount !== 0
}

// The order prevents deadlocks between replicas. One of several answers is enough.
const remember = `
  insert into gone_subscription (subscription_id, url, gone_at)
  select distinct on (s.id) s.id, s.url, answer.at
  from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[])
    as answer(id, url, at, project_id, environment)
  join subscription s on s.id = answer.id and s.url = answer.url and s.active
    and s.project_id = answer.project_id and s.environment = answer.environment
    and s.policy->>'gone' = 'deactivate'
    and answer.at > coalesce(nullif(s.updated_at, s.created_at), '-infinity')
  order by s.id, answer.at desc
  on conflict (subscription_id) do update set url = excluded.url, gone_at = excluded.gone_at`

/**
 * Resolves with a subscription that is to be deactivated; with none during a rebuild of the
 * history.
 * @param except subscriptions to leave out
 */
export async function findGone(
  { pool, historyPool }: Pools,
  except: readonly string[],
): Promise<string | undefined> {
  if (await isRebuilding(historyPool)) return undefined
  const { rows } = await pool.query<{ id: string }>(
    `select subscription_id as id from gone_subscription
     where subscription_id <> all($1::uuid[]) limit 1`,
    [except],
  )
  return rows[0]?.id
}

/** Deletes the stored answer. Resolves with its time if it still applies to the subscription. */
export async function takeGone(
  tx: PoolClient,
  id: string,
  row: SubscriptionRow | undefined,
): Promise<Date | undefined> {
  const { rows } = await tx.query<{ url: string; at: Date }>(
    'delete from gone_subscription where subscription_id = $1 returning url, gone_at as at',
    [id],
  )
  const [answer] = rows
  if (answer === undefined || row?.active !== true) return undefined
  const isChanged = row.updated_at > row.created_at && row.updated_at >= answer.at
  const applies = row.policy?.gone === 'deactivate' && row.url === answer.url && !isChanged
  return applies ? answer.at : undefined
}
