import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from '../errors.ts'

/**
 * Deletes one batch of expired rows. Resolves with whether another batch may follow at once. It may
 * end early when `stopping` is aborted.
 */
export type ExpiryDeletion = {
  name: string
  run: (pool: Pool, stopping?: AbortSignal) => Promise<boolean>
}

export type ExpiryDeletionOptions = {
  pool: Pool
  jobs: readonly ExpiryDeletion[]
  log: Logger
  everyMs?: number
  /** Milliseconds between two batches, so that other work goes first. */
  pauseMs?: number
}

/**
 * Runs the jobs continuously in small batches, on every replica. Concurrent runs do not disturb
 * each other.
 */
export function openExpiryDeletion(options: ExpiryDeletionOptions): AsyncDisposable {
  const { pool, jobs, log, everyMs = 60_000, pauseMs = 200 } = options
  const stop = new AbortController()
  // An abort rejects the sleep. The loop's condition then ends the loop.
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)

  async function finish({ name, run }: ExpiryDeletion): Promise<void> {
    try {
      while (!stop.signal.aborted && (await run(pool, stop.signal))) await pause(pauseMs)
    } catch (err) {
      log.warn({ job: name, reason: reasonOf(err) }, 'expired_rows.deletion_failed')
    }
  }

  const loop = async () => {
    while (!stop.signal.aborted) {
      for (const job of jobs) await finish(job)
      await pause(everyMs)
    }
  }
  const running = loop()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
