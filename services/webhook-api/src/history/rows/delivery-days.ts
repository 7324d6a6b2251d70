import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'

export type DeliveryDays = {
  /** Makes the missing partitions of these days (`2026-11-21`). */
  ensure(days: readonly string[]): Promise<void>
  /** The partitions of these days may have been dropped, so the next `ensure` checks them again. */
  forget(days: readonly string[]): void
}

/** The table has one partition per day, named `<table>_<YYYYMMDD>`. */
export const dayTable = 'delivery'

/** The UTC day of the partition for a delivery made at this time. */
export const dayOf = (createdAt: number): string => new Date(createdAt).toISOString().slice(0, 10)

/** The oldest day whose history is kept. */
export const oldestKeptDay = (historyDays: number, now: number): string =>
  dayOf(now - historyDays * 86_400_000)

export function createDeliveryDays(pool: Pool): DeliveryDays {
  const known = new Set<string>()
  return {
    async ensure(days) {
      for (const day of new Set(days)) {
        if (known.has(day)) continue
        await makePartitions(pool, day)
        known.add(day)
      }
    },
    forget(days) {
      for (const day of days) known.delete(day)
    },
  }
}

/** Thousands of rows are inserted and few change, so vacuuming every minute would be wasted. */
const vacuuming = `autovacuum_vacuum_insert_threshold = 200000, autovacuum_vacuum_insert_scale_factor = 1,
  autovacuum_analyze_threshold = 100000, autovacuum_analyze_scale_factor = 1`

async function makePartitions(pool: Pool, day: string): Promise<void> {
  const next = dayOf(Date.parse(day) + 86_400_000)
  await inTransaction(pool, async (client) => {
    // The lock is needed because `if not exists` does not prevent a conflict between replicas that
    // make the same partition.
    await client.query(`select pg_advisory_xact_lock(hashtext('webhook-api delivery days'))`)
    const partition = `${dayTable}_${day.replaceAll('-', '')}`
    const found = await client.query('select where to_regclass($1) is not null', [partition])
    if (found.rowCount === 1) return
    await client.query(
      `create table ${partition} partition of ${dayTable}
       for values from ('${day}') to ('${next}') with (${vacuuming})`,
    )
  })
}
