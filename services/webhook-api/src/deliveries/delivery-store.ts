import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { type DeliveryDays, dayOf } from './delivery-days.ts'
import { foldDeliveries, type Told } from './fold-deliveries.ts'
import { upsertDeliveries } from './upsert-deliveries.ts'

export type DeliveryStore = {
  /**
   * Jobs become pending deliveries, moves are applied by step; in whatever order and however often they
   * come. What jobs and moves tell of one delivery is written once.
   */
  add(told: Told): Promise<void>
  addJobs(jobs: readonly DeliveryJob[]): Promise<void>
  addMoves(moves: readonly DeliveryAttempt[]): Promise<void>
}

export function createDeliveryStore(pool: Pool, days: DeliveryDays): DeliveryStore {
  const add = async (told: Told) => {
    const folded = foldDeliveries(told)
    if (folded.length === 0) return
    const needed = [...new Set(folded.map(({ of }) => dayOf(of.createdAt)))]
    const write = () => inTransaction(pool, (tx) => upsertDeliveries(tx, folded))
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
