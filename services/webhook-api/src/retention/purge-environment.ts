import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { endpointId } from '@surehook/contracts/ids'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import type { Circuits } from '../endpoints/circuits.ts'
import { forgetFailures } from '../failing/failing-store.ts'
import { dayTable } from '../history/rows/delivery-days.ts'
import { ofTenantSql } from '../history/rows/of-tenant-sql.ts'
import { forgetStats } from '../history/stats/stats-store.ts'
import { awaitLongRetries } from '../subscriptions/store/long-retries.ts'
import { deleteSubscription } from '../subscriptions/store/subscription-store.ts'
import { deleteVersions } from '../subscriptions/store/subscription-versions.ts'
import { keyTable } from '../tenants/keyed-writer.ts'
import type { Tenant } from '../tenants/tenant.ts'

export type PurgeDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  /** Checked again, because another replica may have finished, and the name may be in use again. */
  isDeleted: () => Promise<boolean>
  circuits: Pick<Circuits, 'closeAll'>
  /**
   * Resolves to whether the matcher has passed all changes, and the history has all transitions,
   * that were published before this call.
   */
  hasReadAll: () => Promise<boolean>
  /** A job waits on the slowest retry topic for no longer. */
  longestRetryMs: number
}

const subscriptionsAtOnce = 100
/** Generous: an environment may have millions of rows of a day. */
const dayTimeoutMs = 10 * 60_000

/**
 * Deletes the subscriptions of an environment, which cancels their deliveries, and its history,
 * replays, recoveries and idempotency keys. Publishes no events, because nobody is left to receive
 * them. Waits for the events that others still publish: a later environment of the name would get
 * them.
 * @returns true if anything was deleted, or may still come
 */
export async function purgeEnvironment(deps: PurgeDeps, tenant: Tenant): Promise<boolean> {
  const names = [tenant.projectId, tenant.environment]
  // Asked before the history is deleted: it gets no more rows then.
  const isBehind = !(await deps.hasReadAll())
  let found = 0
  for (let ended = -1; ended !== 0; found += ended) ended = await endSubscriptions(deps, tenant)
  for (const partition of await dayPartitions(deps.pool)) {
    if (!(await deps.isDeleted())) return true
    found += await deleteOfDay(deps.pool, partition, names)
  }
  if (!(await deps.isDeleted())) return true
  for (const table of ['replay', 'recovery']) {
    found += await deleteRows(
      deps.pool,
      `delete from ${table} where project_id = $1 and environment = $2`,
      names,
    )
  }
  const scope = JSON.stringify(names)
  found += await deleteRows(deps.pool, `delete from ${keyTable} where scope = $1`, [scope])
  const isWaiting = await awaitLongRetries(deps.pool, names, deps.longestRetryMs)
  return found > 0 || isWaiting || isBehind
}

async function endSubscriptions(
  { writer, circuits }: PurgeDeps,
  { projectId, environment }: Tenant,
): Promise<number> {
  const ended = await writer.write(async (tx, emit) => {
    const { rows } = await tx.query<{ id: string; url: string }>(
      `select id, url from subscription where project_id = $1 and environment = $2
        order by id limit ${subscriptionsAtOnce} for update`,
      [projectId, environment],
    )
    for (const { id } of rows) {
      await deleteSubscription(tx, id)
      await deleteVersions(tx, id)
      await forgetFailures(tx, id)
      await forgetStats(tx, id)
      await emit({ topic: subscriptionsTopic, key: id, state: null })
    }
    return rows
  })
  // Their owner publishes the end of a circuit at once, not after its cooldown.
  const endpoints = Map.groupBy(ended, ({ url }) => endpointId({ projectId, environment, url }))
  await circuits.closeAll(
    [...endpoints].map(([id, of]) => ({ id, webhooks: of.map((one) => one.id) })),
  )
  return ended.length
}

async function dayPartitions(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = to_regclass($1) order by 1`,
    [dayTable],
  )
  return rows.map(({ name }) => name)
}

function deleteOfDay(pool: Pool, partition: string, names: readonly string[]): Promise<number> {
  return inTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = ${dayTimeoutMs}`)
    const { rowCount } = await tx.query({
      text: `delete from ${partition} where ${ofTenantSql('$1', '$2')}`,
      values: [...names],
      // Overrides the shorter limit of the pool.
      query_timeout: dayTimeoutMs,
    } as { text: string; values: string[] })
    return rowCount ?? 0
  })
}

async function deleteRows(pool: Pool, sql: string, values: readonly string[]): Promise<number> {
  const { rowCount } = await pool.query(sql, [...values])
  return rowCount ?? 0
}
