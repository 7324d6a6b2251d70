import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { sqlStateOf } from '../../records/sql/sql-state.ts'
import { tryLockSchema } from '../table-catalogue.ts'

/** While DDL waits for its lock every later write waits behind it: give up soon and try again. */
export const lockTimeoutMs = 250
const statementTimeoutMs = 10_000
const tries = 12
const pauseMs = 150

const lockNotAvailable = '55P03'

/**
 * A transaction that may change the tables of one environment, one such transaction at a time. Tried
 * again while another one runs or writers keep a table busy; in the end it is given up (503).
 */
export function changeSchema<T>(
  pool: Pool,
  schema: string,
  fn: (tx: PoolClient) => Promise<T>,
): Promise<T> {
  return whenFree(() =>
    inTransaction(pool, async (tx) => {
      // Not waited for in the transaction: an index that is being built waits for its end.
      if (!(await tryLockSchema(tx, schema, 'transaction'))) throw new SchemaBusy()
      await tx.query(`set local lock_timeout = ${lockTimeoutMs}`)
      await tx.query(`set local statement_timeout = ${statementTimeoutMs}`)
      return fn(tx)
    }),
  )
}

/** Somebody else changes the tables of the environment. */
export class SchemaBusy extends Error {}

const busyForMs = 10_000
const busyPauseMs = 40

/** Tries again after a pause while somebody else has what the work needs. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + busyForMs
  for (let triesLeft = tries; ; ) {
    try {
      return await work()
    } catch (err) {
      const isBusy = err instanceof SchemaBusy
      if (!isBusy && sqlStateOf(err) !== lockNotAvailable) throw err
      if (isBusy && performance.now() > giveUpAt)
        throw unavailable('the tables are being changed', err)
      if (!isBusy && --triesLeft === 0) throw err
      await sleep(isBusy ? busyPauseMs : pauseMs)
    }
  }
}
