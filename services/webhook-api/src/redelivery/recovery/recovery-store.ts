import type { Pool, PoolClient } from 'pg'
import { isRebuilding } from '../../rebuild/rebuild-store.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { firstPosition, type Position, type Span } from './dead-letters.ts'

export type Recovery = Span & { id: string; tenant: Tenant; position: Position }

type Row = {
  id: string
  project_id: string
  environment: string
  subscription_id: string
  since: Date
  until: Date
  requested_at: Date
  filed_on: string
  position_at: Date
  position_id: string
}

export async function insertRecovery(
  tx: PoolClient,
  { id, tenant, ...span }: Omit<Recovery, 'position'>,
): Promise<void> {
  const { subscriptionId, since, until, requestedAt } = span
  const position = firstPosition(since)
  await tx.query(
    `insert into recovery (id, project_id, environment, subscription_id, since, until,
       requested_at, position_day, position_at, position_id, worked_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $7)`,
    [
      id,
      tenant.projectId,
      tenant.environment,
      subscriptionId,
      since,
      until,
      requestedAt,
      position.day,
      position.at,
      position.id,
    ],
  )
}

/**
 * Returns the recovery of each project that has waited longest, so that several take turns. Those of
 * a subscription run one after another, because a later one must see what the earlier has sent.
 * Returns none during a rebuild, because dead letters may be missing.
 */
export async function waitingRecoveries({
  pool,
  historyPool,
}: Pools): Promise<{ id: string; projectId: string }[]> {
  if (await isRebuilding(historyPool)) return []
  const { rows } = await pool.query<{ id: string; projectId: string }>(
    `select id, project_id as "projectId" from (
       select distinct on (project_id) id, project_id, worked_at from recovery r
       where not exists (
         select from recovery earlier where earlier.subscription_id = r.subscription_id
           and (earlier.requested_at, earlier.id) < (r.requested_at, r.id))
       order by project_id, worked_at) waiting
     order by worked_at`,
  )
  return rows
}

/** Like `takeRecovery`, but without a lock. */
export const peekRecovery = (pool: Pool, id: string) => findRecovery(pool, id, '')

/** Locks the recovery. Returns `undefined` if it is done, or if another replica works on it. */
export const takeRecovery = (tx: PoolClient, id: string) =>
  findRecovery(tx, id, 'for update skip locked')

/** The column `filed_on`. An older webhook-api moves the position on without its day. */
export const filedOn = `greatest(position_day, (position_at at time zone 'UTC')::date)::text as filed_on`

async function findRecovery(
  db: Pool | PoolClient,
  id: string,
  locking: '' | 'for update skip locked',
): Promise<Recovery | undefined> {
  const { rows } = await db.query<Row>(
    `select *, ${filedOn} from recovery where id = $1 ${locking}`,
    [id],
  )
  const [row] = rows
  if (row === undefined) return undefined
  return {
    id,
    tenant: { projectId: row.project_id, environment: row.environment },
    subscriptionId: row.subscription_id,
    since: row.since,
    until: row.until,
    requestedAt: row.requested_at,
    position: { day: row.filed_on, at: row.position_at, id: row.position_id },
  }
}

/** Returns whether no other replica works on the recovery. The lock ends with the transaction. */
export async function lockInHistory(lock: PoolClient, id: string): Promise<boolean> {
  const { rows } = await lock.query<{ ours: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('webhook-api recovery ' || $1)) as ours`,
    [id],
  )
  return rows[0]?.ours === true
}

export async function advanceRecovery(tx: PoolClient, id: string, position: Position) {
  const { day, at, id: last } = position
  await tx.query(
    `update recovery set position_day = $2, position_at = $3, position_id = $4,
       worked_at = clock_timestamp()
     where id = $1`,
    [id, day, at, last],
  )
}

/** Moves it to the end of the queue, so that a failing recovery does not block others. */
export async function postponeRecovery(pool: Pool, id: string): Promise<void> {
  await pool.query('update recovery set worked_at = clock_timestamp() where id = $1', [id])
}

export async function endRecovery(tx: PoolClient, id: string): Promise<void> {
  await tx.query('delete from recovery where id = $1', [id])
}
