import { randomUUID } from 'node:crypto'
import type { TopicSpan } from '@surehook/kafka/readers/span-reader'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { dayTable } from '../history/rows/delivery-days.ts'
import { type Claim, claimsOn } from '../jobs/claimed-work.ts'

/** A row of table `history_rebuild`. */
export type RebuildRow = {
  id: string
  /**
   * `moving`: an older version's rows are not all here. `emptied`: the ends of the topics are not
   * recorded yet.
   */
  state: 'moving' | 'asked' | 'emptied' | 'reading' | 'done'
  spans: TopicSpan[]
  records: string
  records_in_all: string
  oldest_at: Date | null
  asked_at: Date
  finished_at: Date | null
}

/** Returns whether the history may lack rows, because they are read again or moved here. */
export async function isRebuilding(historyPool: Pool): Promise<boolean> {
  const { rows } = await historyPool.query<{ yes: boolean }>(
    `select exists (select from history_rebuild where state <> 'done') as yes`,
  )
  return rows[0]?.yes === true
}

/** Returns the rebuild in progress, or starts one. */
export async function askRebuild(historyPool: Pool): Promise<RebuildRow> {
  await historyPool.query(
    `insert into history_rebuild (id, state) values ($1, 'asked')
     on conflict ((true)) where state <> 'done' do nothing`,
    [randomUUID()],
  )
  const newest = await newestRebuild(historyPool)
  if (newest === undefined) throw new Error('A rebuild that was asked for is not there')
  return newest
}

export async function newestRebuild(historyPool: Pool): Promise<RebuildRow | undefined> {
  const { rows } = await historyPool.query<RebuildRow>(
    'select * from history_rebuild order by asked_at desc limit 1',
  )
  return rows[0]
}

/** Returns the rebuild in progress, if no replica has claimed it. */
export async function waitingRebuild(historyPool: Pool): Promise<{ id: string }[]> {
  const { rows } = await historyPool.query<{ id: string }>(
    `select id from history_rebuild where state not in ('moving', 'done') and due_at <= clock_timestamp()`,
  )
  return rows
}

const claims = claimsOn<RebuildRow>('history_rebuild', `state <> 'done'`)

export const { take: takeRebuild, postpone: postponeRebuild } = claims

/** The longest time that readers and writers of the history wait behind this lock request. */
const lockTimeout = '1s'

export function emptyHistory(historyPool: Pool, claim: Claim): Promise<void> {
  return inTransaction(historyPool, async (tx) => {
    await claims.advance(tx, claim, {
      set: `state = 'emptied'`,
      from: `state = 'asked'`,
      values: [],
    })
    await tx.query(`set local lock_timeout = '${lockTimeout}'`)
    // A recovery that finds no dead letters asks afterwards whether a rebuild runs.
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
export function beginReading(
  historyPool: Pool,
  claim: Claim,
  spans: readonly TopicSpan[],
): Promise<void> {
  const records = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  return claims.advance(historyPool, claim, {
    set: `state = 'reading', spans = $3, records_in_all = $4`,
    from: `state = 'emptied'`,
    values: [JSON.stringify(spans), records],
  })
}

const isReading = `state = 'reading'`

export function advanceRebuild(historyPool: Pool, claim: Claim, progress: Progress): Promise<void> {
  const { spans, records, oldestAt, forMs } = progress
  return claims.advance(historyPool, claim, {
    set: `spans = $3, records = records + $4, oldest_at = least(oldest_at, $5),
       due_at = clock_timestamp() + $6 * interval '1 ms'`,
    from: isReading,
    values: [JSON.stringify(spans), records, oldestAt, forMs],
  })
}

export function endRebuild(historyPool: Pool, claim: Claim): Promise<void> {
  return claims.advance(historyPool, claim, {
    set: `state = 'done', spans = '[]', finished_at = clock_timestamp()`,
    from: isReading,
    values: [],
  })
}
