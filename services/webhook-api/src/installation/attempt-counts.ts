import type { InstallationHealth } from '@surehook/contracts/http/webhooks/installation'
import type { Pool } from 'pg'
import { hourMs } from '../history/stats/fold-stats.ts'
import { firstHourFrom } from '../history/stats/stats-store.ts'

const dayMs = 24 * hourMs

type Counts = NonNullable<InstallationHealth['deliveries']>
type Row = Record<`${'hour' | 'day'}_${'attempts' | 'delivered' | 'dead'}`, number>

/** Adds up the attempts of all tenants. The full hours of the day are read from their sums. */
export async function countAttempts(historyPool: Pool, now: number): Promise<Counts> {
  const sum = (column: string, name: string) => `
    coalesce(sum(${column}) filter (where in_hour), 0)::float8 as hour_${name},
    coalesce(sum(${column}) filter (where in_day), 0)::float8 as day_${name}`
  const dayAgo = new Date(now - dayMs)
  const { rows } = await historyPool.query<Row>(
    `select ${[sum('attempts', 'attempts'), sum('delivered', 'delivered'), sum('dead_letter', 'dead')].join()}
     from (
       select attempts, delivered, dead_letter, at >= $1 as in_hour, at < $3 as in_day
       from attempt_stats where at >= $1 or (at >= $2 and at < $3)
       union all
       select attempts, delivered, dead_letter, false, true
       from attempt_stats_hour where at >= $3) parts`,
    [new Date(now - hourMs), dayAgo, firstHourFrom(dayAgo)],
  )
  const [row] = rows
  if (row === undefined) throw new Error('an aggregate has one row')
  return {
    hour: { attempts: row.hour_attempts, delivered: row.hour_delivered, deadLetter: row.hour_dead },
    day: { attempts: row.day_attempts, delivered: row.day_delivered, deadLetter: row.day_dead },
  }
}
