import type { DeliveryAttempt } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { type DeliveryDays, dayOf, oldestKeptDay } from './delivery-days.ts'
import type { LoggedJob } from './logged-job.ts'
import { foldStats } from './stats/fold-stats.ts'
import { addToStats } from './stats/stats-store.ts'
import { type FoldedDelivery, foldDeliveries, type LogEntries } from './write/fold-deliveries.ts'
import { fileWithLastTransition, joinRows } from './write/late-deliveries.ts'
import { upsertDeliveries } from './write/upsert-deliveries.ts'

export type DeliveryStore = {
  /**
   * Jobs become pending deliveries, transitions are applied by step; in whatever order and however often they
   * come. All entries of one delivery make one row. What they add to the statistics is counted once.
   */
  add(entries: LogEntries): Promise<void>
  addJobs(jobs: readonly LoggedJob[]): Promise<void>
  addTransitions(transitions: readonly DeliveryAttempt[]): Promise<void>
}

const dayMs = 86_400_000
/** A row that somebody else has locked keeps the others of its statement waiting no longer. */
const lockTimeoutMs = 1_000

/** @param historyDays how long a day is kept; without it deliveries of days that are over are not told apart */
export function createDeliveryStore(
  pool: Pool,
  days: DeliveryDays,
  historyDays?: number,
): DeliveryStore {
  const add = async (entries: LogEntries) => {
    const folded = foldDeliveries(entries)
    if (folded.length === 0) return
    const oldestDay = historyDays === undefined ? '' : oldestKeptDay(historyDays, Date.now())
    const late = fileWithLastTransition(folded, oldestDay)
    const needed = daysOf(folded)
    const write = () =>
      inTransaction(
        pool,
        async (tx) => {
          if (late.length > 0) await joinRows(tx, late, oldestDay)
          const counted = await upsertDeliveries(tx, folded)
          await addToStats(tx, foldStats(folded, counted, Date.now()))
        },
        { lockTimeoutMs },
      )
    await days.ensure(needed)
    try {
      await write()
    } catch (err) {
      if (!lacksPartition(err)) throw err
      days.forget(needed)
      await days.ensure(needed)
      await write()
    }
  }
  return {
    add,
    addJobs: (jobs) => add({ jobs, transitions: [] }),
    addTransitions: (transitions) => add({ jobs: [], transitions }),
  }
}

function daysOf(deliveries: readonly FoldedDelivery[]): string[] {
  const days = new Set(deliveries.map(({ filedAt }) => Math.floor(filedAt / dayMs)))
  return [...days].map((day) => dayOf(day * dayMs))
}

/** Writes jobs as pending deliveries; the partitions of their days must exist. */
export async function recordJobs(client: PoolClient, jobs: readonly LoggedJob[]): Promise<void> {
  await upsertDeliveries(client, foldDeliveries({ jobs, transitions: [] }))
}

/** PostgreSQL's check_violation: the day's history was dropped after we had made its partitions. */
const lacksPartition = (err: unknown) =>
  err instanceof Error && 'code' in err && err.code === '23514'
