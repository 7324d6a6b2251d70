import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { parseLsn } from '../slot/lsn.ts'

export type WaitRelayedOptions = { timeoutMs: number; signal?: AbortSignal | undefined }

/** Before any position in the WAL: what is waited for is its end as it is now. */
export const anyPosition = '0/0'

const pollMs = 3
const finishAfterMs = 100

type Position = { confirmed: bigint; flushed: bigint }

/**
 * Resolves when Kafka has acknowledged what a transaction emitted; rejects with SERVICE_UNAVAILABLE
 * when that takes too long. Call it after the commit.
 *
 * `lsn` alone is not enough: another transaction may have written its commit between our message
 * and our commit, and may be confirmed before us. What is confirmed must therefore reach the end
 * of the WAL as it was at some time after our commit. That end may lie within a record of somebody who
 * does not commit, whose last page nobody has written yet: it has to be, for the relay to get there.
 */
export async function waitUntilRelayed(
  pool: Pool,
  slot: string,
  lsn: string,
  { timeoutMs, signal }: WaitRelayedOptions,
): Promise<void> {
  const startedAt = performance.now()
  const poller = pollerOf(pool, slot)
  const first = await poller.next()
  const emitted = parseLsn(lsn)
  const target = first.flushed > emitted ? first.flushed : emitted
  let finishAtMs = finishAfterMs
  for (let { confirmed } = first; confirmed < target; { confirmed } = await poller.next()) {
    signal?.throwIfAborted()
    const waitedMs = performance.now() - startedAt
    if (waitedMs > timeoutMs) throw unavailable(`The relay of ${slot} is behind`)
    if (waitedMs > finishAtMs) {
      finishAtMs = 2 * waitedMs
      await poller.finishRecords()
    }
    await sleep(pollMs, undefined, { signal })
  }
}

/** One query at a time for all who wait on a slot. */
class Poller {
  readonly #pool: Pool
  readonly #slot: string
  #next: Promise<Position> | null = null
  #last: Promise<unknown> = Promise.resolve()
  #finishing: Promise<unknown> | null = null

  constructor(pool: Pool, slot: string) {
    this.#pool = pool
    this.#slot = slot
  }

  /** Read after this call. Who calls while a query is on its way gets the next one. */
  next(): Promise<Position> {
    this.#next ??= this.#readAfter(this.#last)
    return this.#next
  }

  /** Lets what was written of the WAL be on disk, by a commit: of a message with a prefix that no relay reads. */
  finishRecords(): Promise<unknown> {
    this.#finishing ??= this.#pool
      .query("select pg_logical_emit_message(true, 'surehook', '')")
      .finally(() => {
        this.#finishing = null
      })
    return this.#finishing
  }

  #readAfter(last: Promise<unknown>): Promise<Position> {
    const read = last.then(() => {
      this.#next = null
      return this.#read()
    })
    this.#last = read.catch(() => undefined)
    return read
  }

  async #read(): Promise<Position> {
    const { rows } = await this.#pool.query<{ confirmed: string; flushed: string }>(
      `select confirmed_flush_lsn::text as confirmed, pg_current_wal_flush_lsn()::text as flushed
         from pg_replication_slots
        where slot_name = $1 and confirmed_flush_lsn is not null`,
      [this.#slot],
    )
    const [row] = rows
    if (row === undefined) throw unavailable(`The replication slot ${this.#slot} is not there`)
    return { confirmed: parseLsn(row.confirmed), flushed: parseLsn(row.flushed) }
  }
}

const pollers = new WeakMap<Pool, Map<string, Poller>>()

function pollerOf(pool: Pool, slot: string): Poller {
  const bySlot = pollers.get(pool) ?? new Map<string, Poller>()
  pollers.set(pool, bySlot)
  const poller = bySlot.get(slot) ?? new Poller(pool, slot)
  bySlot.set(slot, poller)
  return poller
}
