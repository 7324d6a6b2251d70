import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { type DeliveryDays, dayOf, oldestKeptDay } from './delivery-days.ts'
import { foldDeliveries, type Told } from './write/fold-deliveries.ts'
import { fileWithLastMove, joinRows } from './write/late-deliveries.ts'
import { upsertDeliveries } from './write/upsert-deliveries.ts'

export type DeliveryStore = {
  /**
   * Jobs become pending deliveries, moves are applied by step; in whatever order and however often they
   * come. What jobs and moves tell of one delivery is written once.
   */
  add(told: Told): Promise<void>
  addJobs(jobs: readonly DeliveryJob[]): Promise<void>
  addMoves(moves: readonly DeliveryAttempt[]): Promise<void>
}

/** @param historyDays how long a day is kept; without it deliveries of days that are over are not told apart */
export function createDeliveryStore(
  pool: Pool,
  days: DeliveryDays,
  historyDays?: number,
): DeliveryStore {
  const add = async (told: Told) => {
    const folded = foldDeliveries(told)
    if (folded.length === 0) return
    const oldestDay = historyDays === undefined ? '' : oldestKeptDay(historyDays, Date.now())
    const late = fileWithLastMove(folded, oldestDay)
    const needed = [...new Set(folded.map(({ filedAt }) => dayOf(filedAt)))]
    const write = () =>
      inTransaction(pool, async (tx) => {
        if (late.length > 0) await joinRows(tx, late, oldestDay)
        await upsertDeliveries(tx, folded)
      })
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
    addJobs: (jobs) => add({ jobs, moves: [] }),
    addMoves: (moves) => add({ jobs: [], moves }),
  }
}

/** Writes jobs as pending deliveries; the partitions of their days must exist. */
export async function recordJobs(client: PoolClient, jobs: readonly DeliveryJob[]): Promise<void> {
  await upsertDeliveries(client, foldDeliveries({ jobs, moves: [] }))
}

/** PostgreSQL's check_violation: the day's history was dropped after we had made its partitions. */
const lacksPartition = (err: unknown) =>
  err instanceof Error && 'code' in err && err.code === '23514'
