import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { sqlStateOf } from '../sql/sql-state.ts'
import { lockSchema } from './table-catalogue.ts'

/** While DDL waits for its lock every later write waits behind it: give up soon and try again. */
const lockTimeoutMs = 250
const statementTimeoutMs = 10_000
const tries = 12
const pauseMs = 150

const lockNotAvailable = '55P03'

/**
 * A transaction that may change the tables of one environment, one such transaction at a time. Tried
 * again while writers keep a table busy; in the end the last time-out is thrown (503).
 */
export async function changeSchema<T>(
  pool: Pool,
  schema: string,
  fn: (tx: PoolClient) => Promise<T>,
): Promise<T> {
  for (let triesLeft = tries; ; triesLeft--) {
    try {
      return await inTransaction(pool, async (tx) => {
        await lockSchema(tx, schema)
        await tx.query(`set local lock_timeout = ${lockTimeoutMs}`)
        await tx.query(`set local statement_timeout = ${statementTimeoutMs}`)
        return fn(tx)
      })
    } catch (err) {
      if (sqlStateOf(err) !== lockNotAvailable || triesLeft <= 1) throw err
      await sleep(pauseMs)
    }
  }
}
