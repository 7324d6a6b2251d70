import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { reasonOf } from '../errors.ts'

/** Removes one batch of what nobody needs any more; resolves with whether there may be more at once. */
export type ExpiryDeletion = { name: string; run: (pool: Pool) => Promise<boolean> }

export type ExpiryDeletionOptions = {
  pool: Pool
  jobs: readonly ExpiryDeletion[]
  log: Logger
  everyMs?: number
  /** Between two batches: other work goes first. */
  pauseMs?: number
}

/** Runs the jobs for ever in small batches, on every replica: they do not mind each other. */
export function openExpiryDeletion(options: ExpiryDeletionOptions): AsyncDisposable {
  const { pool, jobs, log, everyMs = 60_000, pauseMs = 200 } = options
  const stop = new AbortController()
  // An early end of a wait is the end of the loop.
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)

  async function finish({ name, run }: ExpiryDeletion): Promise<void> {
    try {
      while (!stop.signal.aborted && (await run(pool))) await pause(pauseMs)
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
