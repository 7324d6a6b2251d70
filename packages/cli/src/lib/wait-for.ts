import { setTimeout as sleep } from 'node:timers/promises'
import { isNativeError } from 'node:util/types'
import { backoffMs } from '@surehook/service-kit/backoff'
import { reasonOf } from '@surehook/service-kit/errors'
import { parseDuration } from '@surehook/service-kit/time'
import { toUnavailable } from '@surehook/service-kit/unavailable'
import { Failure, type Io, type OptionSpecs, UsageError } from '../cli/command.ts'

/** For commands that may run before what they need is up. */
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

/** `work`, tried again while `what` is away, for at most `wait`; any other error ends it at once. */
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
        throw new Failure(`${what} is not there after ${wait}: ${reasonOf(err)}`)
      }
      if (tries === 1) io.note(`waiting for ${what}: ${reasonOf(err)}`)
      const leftMs = Math.max(0, deadline - performance.now())
      const pauseMs = Math.min(backoffMs(tries, backoff), leftMs)
      await sleep(pauseMs, undefined, { signal: io.signal })
    }
  }
}

/** Waiting makes no other authority and no other name of it. */
const wrongCertificate =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** It, or what it was caused by, says that a dependency does not answer yet. */
function isAway(err: unknown): boolean {
  if (isNativeError(err) && 'code' in err && wrongCertificate.test(String(err.code))) return false
  if (toUnavailable(err) !== null) return true
  // It is there and busy with its start.
  if (err instanceof DOMException && err.name === 'TimeoutError') return true
  if (!isNativeError(err)) return false
  return /\b50[0234]\b/.test(err.message) || isAway(err.cause)
}

/** The milliseconds of an option; a `UsageError` names it. */
export function durationOf(option: string, text: string): number {
  try {
    return parseDuration(text)
  } catch (err) {
    throw new UsageError(`--${option}: ${reasonOf(err)}`, { cause: err })
  }
}
