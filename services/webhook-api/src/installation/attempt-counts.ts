import type { InstallationHealth } from '@surehook/contracts/http/webhooks/installation'
import type { Pool } from 'pg'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Counts = NonNullable<InstallationHealth['deliveries']>
type Row = Record<`${'hour' | 'day'}_${'attempts' | 'delivered' | 'dead'}`, number>

/** Adds up the attempts of all tenants, from counts in buckets of five minutes. */
export async function countAttempts(pool: Pool, now: number): Promise<Counts> {
  const sum = (column: string, name: string) => `
    coalesce(sum(${column}) filter (where at >= $1), 0)::float8 as hour_${name},
    coalesce(sum(${column}), 0)::float8 as day_${name}`
  const { rows } = await pool.query<Row>(
    `select ${[sum('attempts', 'attempts'), sum('delivered', 'delivered'), sum('dead_letter', 'dead')].join()}
     from attempt_stats where at >= $2`,
    [new Date(now - hourMs), new Date(now - dayMs)],
  )
  const [row] = rows
  if (row === undefined) throw new Error('an aggregate has one row')
  return {
    hour: { attempts: row.hour_attempts, delivered: row.hour_delivered, deadLetter: row.hour_dead },
    day: { attempts: row.day_attempts, delivered: row.day_delivered, deadLetter: row.day_dead },
  }
}
