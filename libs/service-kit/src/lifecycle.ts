import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isNativeError } from 'node:util/types'
import type { Logger } from 'pino'
import { backoffMs } from './backoff.ts'
import { reasonOf } from './errors.ts'
import { collectWhenIdle } from './idle-collection.ts'

/** `start` resolves when the service works. The service runs until it is disposed. */
export type Service = AsyncDisposable & { start(signal: AbortSignal): Promise<void> }

/**
 * Opens the service and runs it until SIGINT or SIGTERM, then gives it `graceMs` milliseconds to
 * close. A second signal or the end of the grace exits at once with 1. A signal while the service
 * waits for its dependencies also ends it cleanly.
 */
export async function runService(
  open: (signal: AbortSignal) => Promise<Service>,
  { log, graceMs = 10_000 }: { log: Logger; graceMs?: number },
): Promise<void> {
  const stop = new AbortController()
  const onSignal = (name: NodeJS.Signals) => {
    if (stop.signal.aborted) forceExit(log, 'second signal')
    log.info({ reason: name }, 'service.stopping')
    setTimeout(() => forceExit(log, 'grace over'), graceMs).unref()
    stop.abort(new DOMException(name, 'AbortError'))
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    await using service = await open(stop.signal)
    await service.start(stop.signal)
    log.info('service.started')
    using _collecting = collectWhenIdle()
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
  } catch (err) {
    if (!stop.signal.aborted || !isAbort(err)) throw err
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  log.info('service.stopped')
}

function forceExit(log: Logger, reason: string): never {
  log.error({ reason }, 'service.forced')
  process.exit(1)
}

function isAbort(err: unknown): boolean {
  return isNativeError(err) && err.name === 'AbortError'
}

const backoff = { firstMs: 200, longestMs: 5_000 }

/**
 * Calls `fn` until it succeeds, with growing waits and one log line per failure. Rejects only when
 * `signal` aborts: at start the service waits for a dependency without limit.
 */
export async function retryUntilReady<T>(
  name: string,
  fn: (signal: AbortSignal) => Promise<T>,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      const result = await fn(signal)
      if (tries > 1) log.info({ dependency: name, tries }, 'dependency.ready')
      return result
    } catch (err) {
      signal.throwIfAborted()
      const waitMs = backoffMs(tries, backoff)
      const reason = reasonOf(err)
      log.warn({ dependency: name, tries, reason, retryInMs: waitMs }, 'dependency.waiting')
      await sleep(waitMs, undefined, { signal })
    }
  }
}
