import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import type { Blacklist } from './blacklist.ts'
import type { EndedSessions } from './revocation.ts'
import { markCopied, uncopiedRevocations } from './revocation-store.ts'

export type CopyLoopOptions = {
  pool: Pool
  blacklist: Pick<Blacklist, 'add'>
  log: Logger
  everyMs?: number
}

const pageSize = 1_000

/** Copies revocations to Redis, and marks them as copied. */
export async function copyRevocations(
  { pool, blacklist }: Pick<CopyLoopOptions, 'pool' | 'blacklist'>,
  ended: EndedSessions,
): Promise<void> {
  if (ended.length === 0) return
  await blacklist.add(ended)
  await markCopied(pool, ended)
}

/**
 * Copies the revocations that their own request could not copy to Redis. Every replica does so;
 * duplicates do no harm.
 */
export function openCopyLoop(options: CopyLoopOptions): AsyncDisposable {
  const { pool, log, everyMs = 1_000 } = options
  const stop = new AbortController()
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        await copyRevocations(options, await uncopiedRevocations(pool, pageSize))
      } catch (err) {
        log.warn({ reason: reasonOf(err) }, 'revocations.waiting')
      }
      // The sleep rejects when the loop is closed.
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
