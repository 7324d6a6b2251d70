import { setTimeout as sleep } from 'node:timers/promises'
import { isNativeError } from 'node:util/types'
import { backoffMs } from '@surehook/service-kit/backoff'
import { reasonOf } from '@surehook/service-kit/errors'
import { parseDuration } from '@surehook/service-kit/time'
import { toUnavailable } from '@surehook/service-kit/unavailable'
import { Failure, type Io, type OptionSpecs, UsageError } from '../cli/command.ts'

/** Option of commands that may run before their dependencies are up. */
export const waitOption = {
  wait: {
    type: 'string',
    value: 'duration',
    default: '60s',
    help: 'how long to wait for the dependencies',
  },
} as const satisfies OptionSpecs

export type Awaited = { what: string; wait: string }

const backoff = { firstMs: 200, longestMs: 3_000 }

/**
 * Repeats `work` while `what` is unreachable, for at most `wait`. Any other error rejects at once.
 */
export async function waitFor<T>(
  { what, wait }: Awaited,
  work: () => Promise<T>,
  io: Pick<Io, 'note' | 'signal'>,
): Promise<T> {
  const deadline = performance.now() + durationOf('wait', wait)
  for (let tries = 1; ; tries++) {
    io.signal.throwIfAborted()
    try {
      return await work()
    } catch (err) {
      if (!isAway(err)) throw err
      if (performance.now() >= deadline) {
        throw new Failure(`${what} did not answer within ${wait}: ${reasonOf(err)}`)
      }
      if (tries === 1) io.note(`waiting for ${what}: ${reasonOf(err)}`)
      const leftMs = Math.max(0, deadline - performance.now())
      const pauseMs = Math.min(backoffMs(tries, backoff), leftMs)
      await sleep(pauseMs, undefined, { signal: io.signal })
    }
  }
}

/** Waiting does not change the certificate's authority or name. */
const wrongCertificate =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** True if the error or one of its causes shows that a dependency does not answer yet. */
function isAway(err: unknown): boolean {
  if (isNativeError(err) && 'code' in err && wrongCertificate.test(String(err.code))) return false
  if (toUnavailable(err) !== null) return true
  // The dependency is running but still starting.
  if (err instanceof DOMException && err.name === 'TimeoutError') return true
  if (!isNativeError(err)) return false
  return /\b50[0234]\b/.test(err.message) || isAway(err.cause)
}

/** Parses an option as milliseconds. Throws a `UsageError` that names the option. */
export function durationOf(option: string, text: string): number {
  try {
    return parseDuration(text)
  } catch (err) {
    throw new UsageError(`--${option}: ${reasonOf(err)}`, { cause: err })
  }
}
