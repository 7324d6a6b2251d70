import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'

export type DeliveryDays = {
  /** Makes the partitions of these days (`2026-11-21`) where they are missing. */
  ensure(days: readonly string[]): Promise<void>
  /** Their partitions may be gone: the next `ensure` looks again. */
  forget(days: readonly string[]): void
}

/** Has a partition per day, named `<table>_<YYYYMMDD>`. */
export const dayTable = 'delivery'

/** The UTC day under which the log keeps a delivery made at this time. */
export const dayOf = (createdAt: number): string => new Date(createdAt).toISOString().slice(0, 10)

/** The first day whose history is kept. */
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

/** Rows come in by the thousand and hardly change: no need to look them over each minute while they come. */
const vacuuming = `autovacuum_vacuum_insert_threshold = 200000, autovacuum_vacuum_insert_scale_factor = 1,
  autovacuum_analyze_threshold = 100000, autovacuum_analyze_scale_factor = 1`

async function makePartitions(pool: Pool, day: string): Promise<void> {
  const next = dayOf(Date.parse(day) + 86_400_000)
  await inTransaction(pool, async (client) => {
    // `if not exists` alone does not hold off another replica that makes the same partition.
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
