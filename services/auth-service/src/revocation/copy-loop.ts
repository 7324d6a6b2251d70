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

/** Copies what was revoked to Redis, and notes it. */
export async function copyRevocations(
  { pool, blacklist }: Pick<CopyLoopOptions, 'pool' | 'blacklist'>,
  ended: EndedSessions,
): Promise<void> {
  if (ended.length === 0) return
  await blacklist.add(ended)
  await markCopied(pool, ended)
}

/** Brings to Redis what whoever revoked it could not: every replica looks, and a copy too many does no harm. */
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
      // An early end of the wait is the end of the loop.
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
