import { randomUUID } from 'node:crypto'
import type { TopicSpan } from '@surehook/kafka/readers/span-reader'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { dayTable } from '../history/rows/delivery-days.ts'

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

/** The replica that works on a rebuild. */
export type Turn = { id: string; by: string }

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

/** Takes the rebuild in progress; no other replica can take it for `forMs`. */
export async function takeRebuild(
  pool: Pool,
  { by, forMs }: { by: string; forMs: number },
): Promise<RebuildRow | undefined> {
  const { rows } = await pool.query<RebuildRow>(
    `update history_rebuild set taken_by = $1, due_at = clock_timestamp() + $2 * interval '1 ms'
     where state <> 'done' and due_at <= clock_timestamp()
     returning *`,
    [by, forMs],
  )
  return rows[0]
}

/** Returns it: another replica may take it after `afterMs`. */
export async function postponeRebuild(pool: Pool, turn: Turn, afterMs: number): Promise<void> {
  await pool.query(
    `update history_rebuild set due_at = clock_timestamp() + $3 * interval '1 ms'
     where id = $1 and taken_by = $2`,
    [turn.id, turn.by, afterMs],
  )
}

/** The longest time that readers and writers of the history wait behind this lock request. */
const lockTimeout = '1s'

/** @returns false if another replica has taken it meanwhile */
export function emptyHistory(pool: Pool, { id, by }: Turn): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `update history_rebuild set state = 'emptied'
       where id = $1 and taken_by = $2 and state = 'asked'`,
      [id, by],
    )
    if (rowCount !== 1) return false
    await tx.query(`set local lock_timeout = '${lockTimeout}'`)
    // Waits for the present batch of a recovery, which would otherwise find no dead letters.
    await tx.query('lock table recovery in exclusive mode')
    // Its attempts are counted anew: rows say which of them are.
    await tx.query(`truncate ${dayTable}, attempt_stats`)
    return true
  })
}

export type Progress = Turn & {
  spans: readonly TopicSpan[]
  records: number
  oldestAt: Date | null
  /** Extends the turn by this many milliseconds. */
  forMs: number
}

/**
 * Records the offsets to read.
 * @returns false if another replica has taken it meanwhile
 */
export async function beginReading(
  pool: Pool,
  { id, by }: Turn,
  spans: readonly TopicSpan[],
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update history_rebuild set state = 'reading', spans = $3, records_in_all = $4
     where id = $1 and taken_by = $2 and state = 'emptied'`,
    [id, by, JSON.stringify(spans), spans.reduce((sum, { from, to }) => sum + to - from, 0)],
  )
  return rowCount === 1
}

/**
 * Records the progress.
 * @returns false if another replica has taken it meanwhile
 */
export async function advanceRebuild(pool: Pool, progress: Progress): Promise<boolean> {
  const { id, by, spans, records, oldestAt, forMs } = progress
  const { rowCount } = await pool.query(
    `update history_rebuild set spans = $3, records = records + $4,
       oldest_at = least(oldest_at, $5), due_at = clock_timestamp() + $6 * interval '1 ms'
     where id = $1 and taken_by = $2 and state = 'reading'`,
    [id, by, JSON.stringify(spans), records, oldestAt, forMs],
  )
  return rowCount === 1
}

export async function endRebuild(pool: Pool, { id, by }: Turn): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update history_rebuild set state = 'done', spans = '[]', finished_at = clock_timestamp()
     where id = $1 and taken_by = $2 and state = 'reading'`,
    [id, by],
  )
  return rowCount === 1
}
