import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { endpointId } from '@surehook/contracts/ids'
import { subscriptionsTopic } from '@surehook/contracts/topics'
import { deleteInBatches } from '@surehook/service-kit/postgres/delete-in-batches'
import type { Pool } from 'pg'
import type { Circuits } from '../endpoints/circuits.ts'
import { forgetFailures } from '../failing/failing-store.ts'
import { dayTable } from '../history/rows/delivery-days.ts'
import { ofTenantSql } from '../history/rows/of-tenant-sql.ts'
import { forgetStats } from '../history/stats/stats-store.ts'
import { isRebuilding } from '../rebuild/rebuild-store.ts'
import { awaitLongRetries } from '../subscriptions/store/long-retries.ts'
import { deleteSubscription } from '../subscriptions/store/subscription-store.ts'
import {
  deleteVersions,
  subscriptionsWithVersionsOnly,
} from '../subscriptions/store/subscription-versions.ts'
import { keyTable } from '../tenants/keyed-writer.ts'
import type { Pools } from '../tenants/open-database.ts'
import type { Tenant } from '../tenants/tenant.ts'

export type PurgeDeps = Pools & {
  writer: Pick<StateWriter, 'write'>
  /** Asked again, because another replica may have finished, and the name may be in use again. */
  mayGoOn: () => Promise<boolean>
  circuits: Pick<Circuits, 'closeAll'>
  /**
   * Resolves to whether the matcher has passed all changes, and the history has all transitions,
   * that were published before this call.
   */
  hasReadAll: () => Promise<boolean>
  /** A job waits on the slowest retry topic for no longer. */
  longestRetryMs: number
}

/** They go in one transaction. */
const subscriptionsAtOnce = 50

/**
 * Deletes the subscriptions of an environment, which cancels their deliveries, and its history,
 * replays, recoveries and idempotency keys. Publishes no events, because nobody is left to receive
 * them. Waits for the events that others still publish: a later environment of the name would get
 * them. The history comes last: deliveries end although it is away.
 * @returns true if anything was deleted, or may still come
 */
export async function purgeEnvironment(deps: PurgeDeps, tenant: Tenant): Promise<boolean> {
  const { pool, historyPool, mayGoOn } = deps
  const values = [tenant.projectId, tenant.environment]
  // Asked before the history is deleted: it gets no more rows then.
  const isBehind = !(await deps.hasReadAll())
  let found = false
  for (; (await mayGoOn()) && (await endSubscriptions(deps, tenant)); found = true);
  const ofTenant = 'project_id = $1 and environment = $2'
  const parts = [
    { table: 'replay', where: ofTenant },
    { table: 'recovery', where: ofTenant },
    { table: 'incident', where: ofTenant },
    { table: 'alert_digest', where: ofTenant },
  ]
  for (const part of parts) {
    if (await deleteInBatches(pool, { ...part, values, mayGoOn })) found = true
  }
  const ofScope = { where: 'scope = $1', values: [JSON.stringify(values)] }
  if (await deleteInBatches(pool, { table: keyTable, ...ofScope, mayGoOn })) found = true
  if (await deleteHistory(deps, values)) found = true
  if (!(await mayGoOn())) return true
  const isWaiting = await awaitLongRetries(pool, values, deps.longestRetryMs)
  // A rebuild may still bring rows.
  return found || isWaiting || isBehind || (await isRebuilding(historyPool))
}

async function endSubscriptions(
  { writer, circuits }: PurgeDeps,
  { projectId, environment }: Tenant,
): Promise<boolean> {
  const ended = await writer.write(async (tx, emit) => {
    const { rows } = await tx.query<{ id: string; url: string }>(
      `select id, url from subscription where project_id = $1 and environment = $2
        order by id limit ${subscriptionsAtOnce} for update`,
      [projectId, environment],
    )
    for (const { id } of rows) {
      await deleteSubscription(tx, id)
      await forgetFailures(tx, id)
      await emit({ topic: subscriptionsTopic, key: id, state: null })
    }
    return rows
  })
  // Their owner publishes the end of a circuit at once, not after its cooldown.
  const endpoints = Map.groupBy(ended, ({ url }) => endpointId({ projectId, environment, url }))
  await circuits.closeAll(
    [...endpoints].map(([id, of]) => ({ id, webhooks: of.map((one) => one.id) })),
  )
  return ended.length > 0
}

/** @returns true if there was any, or some is left */
async function deleteHistory(
  { pool, historyPool, mayGoOn }: PurgeDeps,
  values: readonly string[],
): Promise<boolean> {
  const ended = await subscriptionsWithVersionsOnly(pool)
  let found = ended.length > 0
  for (const id of ended) {
    if (!(await mayGoOn())) break
    await forgetStats(historyPool, id)
    // Last, so that an interrupted purge finds the statistics again.
    await deleteVersions(pool, id)
  }
  for (const table of await dayPartitions(historyPool)) {
    const part = { table, where: ofTenantSql('$1', '$2'), values, mayGoOn }
    if (await deleteInBatches(historyPool, part)) found = true
  }
  return found
}

async function dayPartitions(historyPool: Pool): Promise<string[]> {
  const { rows } = await historyPool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = to_regclass($1) order by 1`,
    [dayTable],
  )
  return rows.map(({ name }) => name)
}
