import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'

export type DeliveryDays = {
  /** Makes the partitions of these days (`2026-11-21`) where they are missing. */
  ensure(days: readonly string[]): Promise<void>
  /** Their partitions may be gone: the next `ensure` looks again. */
  forget(days: readonly string[]): void
}

const tables = ['delivery', 'delivery_body', 'delivery_attempt'] as const

/** The UTC day under which the log keeps a delivery made at this time. */
export const dayOf = (createdAt: number): string => new Date(createdAt).toISOString().slice(0, 10)

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

async function makePartitions(pool: Pool, day: string): Promise<void> {
  const next = dayOf(Date.parse(day) + 86_400_000)
  await inTransaction(pool, async (client) => {
    // `if not exists` alone does not hold off another replica that makes the same partition.
    await client.query(`select pg_advisory_xact_lock(hashtext('webhook-api delivery days'))`)
    for (const table of tables) {
      const partition = `${table}_${day.replaceAll('-', '')}`
      const { rowCount } = await client.query('select 1 where to_regclass($1) is not null', [
        partition,
      ])
      if (rowCount === 1) continue
      // Half-filled pages: a delivery is updated a few times right after it was written.
      const storage = table === 'delivery' ? 'with (fillfactor = 60)' : ''
      await client.query(
        `create table ${partition} partition of ${table}
         for values from ('${day}') to ('${next}') ${storage}`,
      )
    }
  })
}
