import { copyRows } from '@surehook/service-kit/postgres/copy-rows'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { PoolClient } from 'pg'
import { dayTable } from '../rows/delivery-days.ts'
import type { FoldedDelivery } from '../rows/fold-deliveries.ts'
import { foldStats, type StatsIncrement } from '../stats/fold-stats.ts'
import { deliveryColumns } from './delivery-columns.ts'
import { upsertDeliveries } from './upsert-deliveries.ts'

/**
 * Writes deliveries; they are sorted, and the partitions of their days exist.
 * @param copies inserts deliveries that seem new with `COPY`, for about half of the CPU of an
 * upsert. Fails with PostgreSQL's unique_violation if one is already there
 * @returns what they add to the statistics
 */
export async function writeDeliveries(
  tx: PoolClient,
  deliveries: readonly FoldedDelivery[],
  { copies }: { copies: boolean },
): Promise<StatsIncrement[]> {
  const groups = Map.groupBy(deliveries, (delivery) => copies && seemsNew(delivery))
  const fresh = groups.get(true) ?? []
  const others = groups.get(false) ?? []
  if (fresh.length > 0) await copyRows(tx, dayTable, deliveryColumns, fresh)
  const counted = await upsertDeliveries(tx, others)
  const allCounted = [...fresh.map(({ countable }) => countable), ...counted]
  return foldStats([...fresh, ...others], allCounted, Date.now())
}

/**
 * Most deliveries are written once, with their job and their first transition. Jobs that webhook-api
 * makes have a row before they are on their topic. A late delivery, filed under another day than its
 * own, may have one, too.
 */
const seemsNew = ({ job, last, of, filedAt }: FoldedDelivery): boolean =>
  job?.redeliveryOf === null && last !== null && last.step <= 1 && filedAt === of.createdAt

/** How long nothing is copied after a copy failed: repeated messages come one after the other. */
const upsertsForMs = 5_000

/** Decides whether a write may copy, and repeats it without copying after a conflict. */
export class CopyAttempts {
  #nextAt = Number.NEGATIVE_INFINITY

  async run(write: (options: { copies: boolean }) => Promise<void>): Promise<void> {
    const copies = performance.now() >= this.#nextAt
    try {
      await write({ copies })
    } catch (err) {
      if (!copies || !isConflict(err)) throw err
      this.#nextAt = performance.now() + upsertsForMs
      await write({ copies: false })
    }
  }
}

/**
 * Another replica writes the same deliveries: unique_violation, deadlock_detected,
 * lock_not_available. One sorted statement for all of them cannot end in a deadlock.
 */
const isConflict = (err: unknown) => /^(?:23505|40P01|55P03)$/.test(sqlStateOf(err) ?? '')
