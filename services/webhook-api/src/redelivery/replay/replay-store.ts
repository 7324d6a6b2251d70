import type { Replay } from '@surehook/contracts/http/webhooks/log'
import type { LogSpan } from '@surehook/kafka/readers/log-reader'
import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Pool, PoolClient } from 'pg'
import { type Claim, claimsOn } from '../../jobs/claimed-work.ts'
import type { Tenant } from '../../tenants/tenant.ts'

/** A row of table `replay`. */
export type ReplayRow = {
  id: string
  project_id: string
  environment: string
  subscription_id: string
  state: Replay['state']
  span_from: Date
  span_until: Date
  /** The parts of the log that are still to be read. */
  spans: LogSpan[]
  scanned: string
  deliveries: string
  created_at: Date
  finished_at: Date | null
}

export type NewReplay = {
  id: string
  tenant: Tenant
  subscriptionId: string
  from: Date
  until: Date
  spans: readonly LogSpan[]
  now: Date
}

export async function insertReplay(tx: PoolClient, replay: NewReplay): Promise<void> {
  const { id, tenant, subscriptionId, from, until, spans, now } = replay
  await tx.query(
    `insert into replay (id, project_id, environment, subscription_id, state, span_from, span_until,
       spans, scanned, deliveries, created_at, due_at)
     values ($1, $2, $3, $4, 'running', $5, $6, $7, 0, 0, $8, $8)`,
    [
      id,
      tenant.projectId,
      tenant.environment,
      subscriptionId,
      from,
      until,
      JSON.stringify(spans),
      now,
    ],
  )
}

export async function isReplaying(tx: PoolClient, subscriptionId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from replay where subscription_id = $1 and state = 'running'`,
    [subscriptionId],
  )
  return rowCount !== 0
}

export async function findReplay(
  pool: Pool,
  { id, subscriptionId, tenant }: { id: string; subscriptionId: string; tenant: Tenant },
): Promise<ReplayRow | undefined> {
  const { rows } = await pool.query<ReplayRow>(
    `select * from replay
     where id = $1 and subscription_id = $2 and project_id = $3 and environment = $4`,
    [id, subscriptionId, tenant.projectId, tenant.environment],
  )
  return rows[0]
}

/** Returns the replay of each project that has waited longest. */
export async function dueReplays(pool: Pool): Promise<{ id: string; projectId: string }[]> {
  const { rows } = await pool.query<{ id: string; projectId: string }>(
    `select id, project_id as "projectId" from (
       select distinct on (project_id) id, project_id, due_at from replay
       where state = 'running' and due_at <= clock_timestamp() order by project_id, due_at) due
     order by due_at`,
  )
  return rows
}

const claims = claimsOn<ReplayRow>('replay', `state = 'running'`)

export const { take: takeReplay, postpone: postponeReplay } = claims

export type ReplayStep = {
  state: Replay['state']
  spans: readonly LogSpan[]
  scanned: number
  deliveries: number
}

/** Records the progress. Throws if another replica has claimed the replay. */
export async function advanceReplay(tx: PoolClient, claim: Claim, step: ReplayStep): Promise<void> {
  const { state, spans, scanned, deliveries } = step
  await claims.advance(tx, claim, {
    set: `state = $3, spans = $4, scanned = scanned + $5, deliveries = deliveries + $6,
       due_at = clock_timestamp(),
       finished_at = case when $3 = 'running' then null else clock_timestamp() end`,
    values: [state, JSON.stringify(spans), scanned, deliveries],
  })
}

/** Call it for a deleted subscription, so that nothing more is delivered. */
export async function cancelReplays(tx: PoolClient, subscriptionId: string): Promise<void> {
  await tx.query(
    `update replay set state = 'cancelled', finished_at = clock_timestamp()
     where subscription_id = $1 and state = 'running'`,
    [subscriptionId],
  )
}

const shownDays = 30
const batch = 500

/**
 * A job for `openExpiryDeletion`: deletes finished replays after the time for which they are shown.
 */
export const endedReplays: ExpiryDeletion = {
  name: 'replays',
  async run(pool) {
    const { rowCount } = await pool.query(
      `delete from replay where id in (
         select id from replay where finished_at < clock_timestamp() - $1 * interval '1 day'
         limit $2 for update skip locked)`,
      [shownDays, batch],
    )
    return rowCount === batch
  },
}

/** Returns how many of these deliveries have not been attempted yet. */
export async function countPending(
  historyPool: Pool,
  { day, ids }: { day: string; ids: readonly string[] },
): Promise<number> {
  const { rows } = await historyPool.query<{ count: number }>(
    `select count(*)::integer as count from delivery
     where day = $1 and id = any($2::uuid[]) and status = 'pending'`,
    [day, ids],
  )
  return rows[0]?.count ?? 0
}
