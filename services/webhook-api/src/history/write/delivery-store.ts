import type { DeliveryAttempt } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool } from 'pg'
import { type DeliveryDays, dayOf, oldestKeptDay } from '../rows/delivery-days.ts'
import { type FoldedDelivery, foldDeliveries, type LogEntries } from '../rows/fold-deliveries.ts'
import type { LoggedJob } from '../rows/logged-job.ts'
import { addToStats } from '../stats/stats-store.ts'
import { fileWithLastTransition, joinRows } from './late-deliveries.ts'
import { CopyAttempts, writeDeliveries } from './write-deliveries.ts'

export type DeliveryStore = {
  /**
   * Makes a pending delivery of each job, and applies transitions by step. Entries may come in any
   * order and repeatedly. All entries of a delivery make one row, and the statistics count each
   * attempt once.
   */
  add(entries: LogEntries): Promise<void>
  addJobs(jobs: readonly LoggedJob[]): Promise<void>
  addTransitions(transitions: readonly DeliveryAttempt[]): Promise<void>
}

const dayMs = 86_400_000
/** How long a statement waits for a locked row, because the other rows wait with it. */
const lockTimeoutMs = 1_000

/**
 * @param historyDays how many days are kept; without it, deliveries of expired days are not
 * detected
 */
export function createDeliveryStore(
  pool: Pool,
  days: DeliveryDays,
  historyDays?: number,
): DeliveryStore {
  const copyAttempts = new CopyAttempts()
  const add = async (entries: LogEntries) => {
    const folded = foldDeliveries(entries)
    if (folded.length === 0) return
    const oldestDay = historyDays === undefined ? '' : oldestKeptDay(historyDays, Date.now())
    const late = fileWithLastTransition(folded, oldestDay)
    const needed = daysOf(folded)
    const write = () =>
      copyAttempts.run((options) =>
        inTransaction(
          pool,
          async (tx) => {
            if (late.length > 0) await joinRows(tx, late, oldestDay)
            await addToStats(tx, await writeDeliveries(tx, folded, options))
          },
          { lockTimeoutMs },
        ),
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

/** PostgreSQL's check_violation: the day's partition was dropped after `ensure`. */
const lacksPartition = (err: unknown) => sqlStateOf(err) === '23514'
