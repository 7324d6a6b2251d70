import { randomUUID } from 'node:crypto'
import type { TopicSpan } from '@surehook/kafka/readers/span-reader'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { dayTable } from '../history/rows/delivery-days.ts'
import { type Claim, claimsOn } from '../jobs/claimed-work.ts'

/** A row of table `history_rebuild`. */
export type RebuildRow = {
  id: string
  /** `emptied`: the ends of the topics are not recorded yet. */
  state: 'asked' | 'emptied' | 'reading' | 'done'
  spans: TopicSpan[]
  records: string
  records_in_all: string
  oldest_at: Date | null
  asked_at: Date
  finished_at: Date | null
}

/** SQL that is true while the history may lack rows that are on the topics. */
export const underWay = `exists (select from history_rebuild where state <> 'done')`

export async function isRebuilding(db: Pool | PoolClient): Promise<boolean> {
  const { rows } = await db.query<{ yes: boolean }>(`select ${underWay} as yes`)
  return rows[0]?.yes === true
}

/** Returns the rebuild in progress, or starts one. */
export async function askRebuild(pool: Pool): Promise<RebuildRow> {
  await pool.query(
    `insert into history_rebuild (id, state) values ($1, 'asked')
     on conflict ((true)) where state <> 'done' do nothing`,
    [randomUUID()],
  )
  const newest = await newestRebuild(pool)
  if (newest === undefined) throw new Error('A rebuild that was asked for is not there')
  return newest
}

export async function newestRebuild(pool: Pool): Promise<RebuildRow | undefined> {
  const { rows } = await pool.query<RebuildRow>(
    'select * from history_rebuild order by asked_at desc limit 1',
  )
  return rows[0]
}

/** Returns the rebuild in progress, if no replica has claimed it. */
export async function waitingRebuild(pool: Pool): Promise<{ id: string }[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from history_rebuild where state <> 'done' and due_at <= clock_timestamp()`,
  )
  return rows
}

const claims = claimsOn<RebuildRow>('history_rebuild', `state <> 'done'`)

export const { take: takeRebuild, postpone: postponeRebuild } = claims

/** The longest time that readers and writers of the history wait behind this lock request. */
const lockTimeout = '1s'

export function emptyHistory(pool: Pool, claim: Claim): Promise<void> {
  return inTransaction(pool, async (tx) => {
    await claims.advance(tx, claim, {
      set: `state = 'emptied'`,
      from: `state = 'asked'`,
      values: [],
    })
    await tx.query(`set local lock_timeout = '${lockTimeout}'`)
    // Waits for the present batch of a recovery, which would otherwise find no dead letters.
    await tx.query('lock table recovery in exclusive mode')
    // Rows record which attempts the statistics have, so both are written again.
    await tx.query(`truncate ${dayTable}, attempt_stats, attempt_stats_hour`)
  })
}

export type Progress = {
  spans: readonly TopicSpan[]
  records: number
  oldestAt: Date | null
  /** Extends the claim by this many milliseconds. */
  forMs: number
}

/** Records the offsets to read. */
export function beginReading(pool: Pool, claim: Claim, spans: readonly TopicSpan[]): Promise<void> {
  const records = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  return claims.advance(pool, claim, {
    set: `state = 'reading', spans = $3, records_in_all = $4`,
    from: `state = 'emptied'`,
    values: [JSON.stringify(spans), records],
  })
}

const isReading = `state = 'reading'`

export function advanceRebuild(pool: Pool, claim: Claim, progress: Progress): Promise<void> {
  const { spans, records, oldestAt, forMs } = progress
  return claims.advance(pool, claim, {
    set: `spans = $3, records = records + $4, oldest_at = least(oldest_at, $5),
       due_at = clock_timestamp() + $6 * interval '1 ms'`,
    from: isReading,
    values: [JSON.stringify(spans), records, oldestAt, forMs],
  })
}

export function endRebuild(pool: Pool, claim: Claim): Promise<void> {
  return claims.advance(pool, claim, {
    set: `state = 'done', spans = '[]', finished_at = clock_timestamp()`,
    from: isReading,
    values: [],
  })
}
