import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'

const renewEveryMs = 60_000
const heldForMs = 10 * 60_000
/** The longest time that requests for recoveries wait behind the lock request. */
const lockTimeoutMs = 1_000

/** Returns whether an older version's tables have rows. */
export async function hasOlderRows(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ left: boolean }>('select has_older_history() as left')
  return rows[0]?.left === true
}

/**
 * Makes replicas of an older version wait. They look for the history beside the subscriptions, and
 * would end a recovery without the dead letters that were moved. They wait while their table
 * `history_rebuild` has an unfinished row. They may run on after the move, so replicas of this
 * version renew the row as long as they run. After a rollback nobody renews it, and the older
 * version ends the row: it is a rebuild with nothing left to read.
 */
export class OlderVersions {
  readonly #pool: Pool
  #renewAt = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** @returns false if there is nothing to move, and nobody to hold */
  async hold(): Promise<boolean> {
    if (performance.now() < this.#renewAt) return true
    const renewAt = performance.now() + renewEveryMs
    const isHeld = (await this.#renew()) || (await this.#begin())
    if (isHeld) this.#renewAt = renewAt
    return isHeld
  }

  /** Also takes an older version's own rebuild from its worker, which would empty its tables. */
  async #renew(): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update history_rebuild set taken_by = null, due_at = ${heldUntil} where state <> 'done'`,
    )
    return rowCount === 1
  }

  async #begin(): Promise<boolean> {
    if (!(await hasOlderRows(this.#pool))) return false
    await inTransaction(
      this.#pool,
      async (tx) => {
        // Waits for the present batches of recoveries, which have found no unfinished row.
        await tx.query('lock table recovery in exclusive mode')
        await tx.query(
          `insert into history_rebuild (id, state, due_at)
           values (gen_random_uuid(), 'reading', ${heldUntil})
           on conflict ((true)) where state <> 'done' do nothing`,
        )
      },
      { lockTimeoutMs },
    )
    return true
  }
}

const heldUntil = `clock_timestamp() + interval '${heldForMs} ms'`

const isUnread = `state <> 'done' and (state <> 'reading' or spans <> '[]')`

/** Returns whether an older version was rebuilding its history when it was first held. */
export async function wasRebuilding(pool: Pool): Promise<boolean> {
  return (await pool.query(`select from history_rebuild where ${isUnread}`)).rowCount === 1
}

/** Leaves an older version's rebuild nothing to read. */
export async function endOlderRebuild(pool: Pool): Promise<void> {
  await pool.query(`update history_rebuild set state = 'reading', spans = '[]' where ${isUnread}`)
}
