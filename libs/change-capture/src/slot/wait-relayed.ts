import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { parseLsn } from './lsn.ts'

export type WaitRelayedOptions = { timeoutMs: number; signal?: AbortSignal | undefined }

/** Lower than every WAL position: the caller waits for the current end of the WAL. */
export const anyPosition = '0/0'

const pollMs = 3
const finishAfterMs = 100

type Position = { confirmed: bigint; flushed: bigint }

/**
 * Resolves when Kafka has acknowledged the messages of a transaction. Rejects with
 * SERVICE_UNAVAILABLE on timeout. Call it after the commit.
 *
 * `lsn` alone is not enough. Another transaction may commit between our message and our commit, and
 * may be confirmed first. The confirmed position must therefore reach an end of the WAL that was
 * read after our commit. That end may lie within a record of an open transaction whose last page is
 * not on disk. It must be flushed for the relay to read past it.
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

/** Runs one query at a time for all callers that wait on a slot. */
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

  /**
   * Resolves with a position read after this call. Callers during a running query share the next
   * one.
   */
  next(): Promise<Position> {
    this.#next ??= this.#readAfter(this.#last)
    return this.#next
  }

  /** Flushes the WAL written so far by a commit. Its message has a prefix that no relay reads. */
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
