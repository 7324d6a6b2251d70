import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool, PoolClient } from 'pg'
import { tryLockSchema } from '../table-catalogue.ts'

/**
 * While DDL waits for its lock, all later writes wait behind it, so it gives up soon and tries
 * again.
 */
export const lockTimeoutMs = 250
const statementTimeoutMs = 10_000
const tries = 12
const pauseMs = 150

const lockNotAvailable = '55P03'

/**
 * Runs a transaction that may change the tables of one environment, one at a time. Retries while
 * another one runs or writers keep a table busy, and finally rejects with 503.
 */
export function changeSchema<T>(
  pool: Pool,
  schema: string,
  fn: (tx: PoolClient) => Promise<T>,
): Promise<T> {
  return whenFree(() =>
    inTransaction(pool, async (tx) => {
      // Does not wait inside the transaction, because an index build waits for the end of all older
      // transactions.
      if (!(await tryLockSchema(tx, schema, 'transaction'))) throw new SchemaBusy()
      await tx.query(`set local lock_timeout = ${lockTimeoutMs}`)
      await tx.query(`set local statement_timeout = ${statementTimeoutMs}`)
      return fn(tx)
    }),
  )
}

/** Another transaction is changing the tables of the environment. */
export class SchemaBusy extends Error {}

const busyForMs = 10_000
const busyPauseMs = 40

/** Retries after a pause while the needed lock is held. */
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
