import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { Pool, PoolClient } from 'pg'
import type { SubscriptionRow } from '../subscriptions/store/subscription-row.ts'
import type { Pools } from '../tenants/open-database.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { foldTroubles } from './fold-troubles.ts'

/** Records which subscriptions are in trouble. A repeated report changes nothing. */
export async function recordIncidents(
  pool: Pool,
  transitions: readonly DeliveryAttempt[],
): Promise<void> {
  const troubles = foldTroubles(transitions)
  const failing = troubles.filter(({ failedAt }) => failedAt !== null)
  if (failing.length > 0) {
    await pool.query(begin, [
      failing.map(({ subscriptionId }) => subscriptionId),
      failing.map(({ projectId }) => projectId),
      failing.map(({ environment }) => environment),
      failing.map(({ pausedAt }) => dateOf(pausedAt)),
      failing.map(({ deadLetterAt }) => dateOf(deadLetterAt)),
      failing.map(({ failedAt }) => dateOf(failedAt)),
    ])
  }
  const succeeding = troubles.filter(({ succeededAt }) => succeededAt !== null)
  if (succeeding.length === 0) return
  await pool.query(succeed, [
    succeeding.map(({ subscriptionId }) => subscriptionId),
    succeeding.map(({ succeededAt }) => dateOf(succeededAt)),
  ])
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms))

// Ignores what happened before the subscription's last change, or long ago: a replica that takes
// over reads the log again. The order prevents deadlocks between replicas.
const begin = `
  insert into incident as i
    (subscription_id, project_id, environment, began_at, circuit_opened_at, dead_letter_at, failed_at)
  select s.id, s.project_id, s.environment, least(t.paused, t.dead), t.paused, t.dead, t.failed
  from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
    $6::timestamptz[]) as t(id, project_id, environment, paused, dead, failed)
  join subscription s on s.id = t.id and s.active
    and s.project_id = t.project_id and s.environment = t.environment
    and t.failed > coalesce(nullif(s.updated_at, s.created_at), '-infinity')
    and t.failed > now() - interval '1 day'
  order by s.id
  on conflict (subscription_id) do update set
    began_at = least(i.began_at, excluded.began_at),
    circuit_opened_at = coalesce(i.circuit_opened_at, excluded.circuit_opened_at),
    dead_letter_at = coalesce(i.dead_letter_at, excluded.dead_letter_at),
    failed_at = greatest(i.failed_at, excluded.failed_at)`

const succeed = `
  with known as (
    select i.subscription_id as id, success.at from incident i
    join unnest($1::uuid[], $2::timestamptz[]) as success(id, at)
      on success.id = i.subscription_id
    order by i.subscription_id for update of i)
  update incident i set succeeded_at = greatest(i.succeeded_at, known.at)
  from known where i.subscription_id = known.id`

/** Records that people are to be told of a subscription that was deactivated without a request. */
export async function recordDeactivation(
  tx: PoolClient,
  { id, project_id, environment }: Pick<SubscriptionRow, 'id' | 'project_id' | 'environment'>,
  since: Date,
): Promise<void> {
  await tx.query(
    `insert into incident as i (subscription_id, project_id, environment, began_at, failed_at)
     values ($1, $2, $3, $4, now())
     on conflict (subscription_id) do update set failed_at = excluded.failed_at`,
    [id, project_id, environment, since],
  )
}

export type IncidentRow = {
  id: string
  name: string | null
  key: string | null
  began_at: Date
  circuit_opened_at: Date | null
  dead_letter_at: Date | null
  failed_at: Date
  succeeded_at: Date | null
  circuit_told: boolean
  dead_letter_told: boolean
  /** When and why the subscription was deactivated without a request. */
  disabled_at: Date | null
  disabled_reason: string | null
  dead_letters: number
  paused: number
}

/** More are counted as this many. */
const mostCounted = 1_000

/**
 * Returns the counted incidents of the environment, the oldest first, and locks them. The next alert
 * has those that began meanwhile.
 */
export async function lockIncidents(
  tx: PoolClient,
  { projectId, environment }: Tenant,
  counts: IncidentCounts,
): Promise<IncidentRow[]> {
  const { rows } = await tx.query<Omit<IncidentRow, keyof DeliveryCounts>>(
    `select s.id, s.name, s.key, i.began_at, i.circuit_opened_at, i.dead_letter_at, i.failed_at,
            i.succeeded_at, i.circuit_told, i.dead_letter_told, s.disabled_at, s.disabled_reason
       from incident i join subscription s on s.id = i.subscription_id
      where i.project_id = $1 and i.environment = $2 and i.subscription_id = any($3::uuid[])
      order by i.began_at, s.id for update of i`,
    [projectId, environment, [...counts.keys()]],
  )
  return rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? nothing) }))
}

/** The deliveries of each incident, by its subscription. */
export type IncidentCounts = ReadonlyMap<string, DeliveryCounts>

/** Counts before a transaction, which does not wait for the history. */
export async function countIncidents(
  { pool, historyPool }: Pools,
  { projectId, environment }: Tenant,
): Promise<IncidentCounts> {
  const { rows } = await pool.query<Pick<IncidentRow, 'id' | 'began_at'>>(
    `select subscription_id as id, began_at from incident
      where project_id = $1 and environment = $2`,
    [projectId, environment],
  )
  const counts = await countDeliveries(historyPool, rows)
  return new Map(rows.map(({ id }, index) => [id, counts[index] ?? nothing]))
}

type DeliveryCounts = Pick<IncidentRow, 'dead_letters' | 'paused'>

const nothing: DeliveryCounts = { dead_letters: 0, paused: 0 }

/** Counts the deliveries of each incident, in the order of the incidents. */
async function countDeliveries(
  historyPool: Pool,
  incidents: readonly Pick<IncidentRow, 'id' | 'began_at'>[],
): Promise<DeliveryCounts[]> {
  if (incidents.length === 0) return []
  const counted = (those: string) => `(
    select count(*)::integer from (
      select from delivery d where d.subscription_id = i.id and ${those}
      limit ${mostCounted}) counted)`
  const { rows } = await historyPool.query<DeliveryCounts>(
    `select ${counted("d.status = 'dead_letter' and d.moved_at >= i.began_at")} as dead_letters,
            ${counted("d.status = 'paused'")} as paused
       from unnest($1::uuid[], $2::timestamptz[]) with ordinality as i(id, began_at, place)
      order by place`,
    [incidents.map(({ id }) => id), incidents.map(({ began_at }) => began_at)],
  )
  return rows
}
