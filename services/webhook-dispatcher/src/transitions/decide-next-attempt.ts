import type { ErrorClass } from '@surehook/contracts/events'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { retryAfterMs } from './retry-after.ts'
import { nextHop, type RetryDelay, type RetryLadder } from './retry-ladder.ts'

export type AttemptResult = (
  | {
      kind: 'responded'
      status: number
      answer: string
      /** `answer` is not the whole answer: it was too long, or the connection was lost. */
      isCut?: boolean
      latencyMs: number
      /** The header `Retry-After`, if there was one. */
      retryAfter?: string | undefined
    }
  | {
      kind: 'unreachable'
      errorClass: ErrorClass
      message: string
      latencyMs: number
      /** The same object for all attempts that shared the lookup. */
      failedLookup?: object
    }
) & {
  /** The trace headers of the records that result from the attempt, if it is traced. */
  sentAs?: OutgoingRecord['headers'] | undefined
}

export type AttemptDecision =
  | { kind: 'delivered' }
  /** `notBefore`: the time that the receiver asked for. `dueAt` may end an earlier wait. */
  | { kind: 'retry'; delay: RetryDelay; dueAt: number; notBefore?: number }
  | { kind: 'dead-letter' }
  /** It failed, and was cancelled by request meanwhile. */
  | { kind: 'cancelled' }

/**
 * Every status other than 2xx is a failure, including 3xx, 4xx and 410, because the receiver may be
 * repaired.
 */
export function succeeded(result: AttemptResult): boolean {
  return result.kind === 'responded' && result.status >= 200 && result.status < 300
}

export type AttemptEnd = 'succeeded' | 'refused' | 'failed'

/**
 * Returns how an attempt ended. `refused`: the answer may be the fault of one subscription, of its
 * secret, its headers or its records. Every other failure is one of the receiver. So are 408 and
 * 429, which say that it is busy (RFC 9110 §15.5.9, RFC 6585 §4).
 */
export function endOf(result: AttemptResult): AttemptEnd {
  if (succeeded(result)) return 'succeeded'
  if (result.kind !== 'responded') return 'failed'
  const { status } = result
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'failed'
}

export type Schedule = {
  /** Before the second and each further attempt. */
  delays: readonly RetryDelay[]
  ladder: RetryLadder
  /** True if the receiver may ask for a longer wait. */
  retryAfter: boolean
}

/** RFC 9110 §10.2.3 and RFC 6585 §4. */
const asksToWait: ReadonlySet<number> = new Set([429, 503])

/**
 * @param attempt number of the attempt that gave `result`, from 1
 * @param at when it ended, epoch ms
 * @param jitter 0 ≤ jitter < 1; spreads retries over the 10 % after their delay
 */
export function decideNextAttempt(
  result: AttemptResult,
  attempt: number,
  { delays, ladder, retryAfter, at, jitter }: Schedule & { at: number; jitter: number },
): AttemptDecision {
  if (succeeded(result)) return { kind: 'delivered' }
  const delay = delays[attempt - 1]
  if (delay === undefined) return { kind: 'dead-letter' }
  const dueAt = Math.round(at + delay.ms * (1 + 0.1 * jitter))
  const notBefore = retryAfter ? at + askedMs(result, at) : 0
  if (notBefore <= dueAt) return { kind: 'retry', delay, dueAt }
  return { kind: 'retry', ...nextHop(ladder, at, notBefore), notBefore }
}

function askedMs(result: AttemptResult, at: number): number {
  const asks = result.kind === 'responded' && asksToWait.has(result.status)
  return asks ? retryAfterMs(result.retryAfter, at) : 0
}
