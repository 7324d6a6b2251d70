import type { ErrorClass } from '@surehook/contracts/events'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'

export type AttemptResult = (
  | { kind: 'responded'; status: number; answer: string; latencyMs: number }
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

/** A configured delay. Its name is also the suffix of its topic. */
export type RetryDelay = { name: string; ms: number }

export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; delay: RetryDelay; dueAt: number }
  | { kind: 'dead-letter' }

/**
 * Every status other than 2xx is a failure, including 3xx, 4xx and 410, because the receiver may be
 * repaired.
 */
export function succeeded(result: AttemptResult): boolean {
  return result.kind === 'responded' && result.status >= 200 && result.status < 300
}

/**
 * @param attempt number of the attempt that gave `result`, from 1
 * @param at when it ended, epoch ms
 * @param jitter 0 ≤ jitter < 1; spreads retries over the 10 % after their delay
 */
export function decideNextAttempt(
  result: AttemptResult,
  attempt: number,
  { delays, at, jitter }: { delays: readonly RetryDelay[]; at: number; jitter: number },
): NextStep {
  if (succeeded(result)) return { kind: 'delivered' }
  const delay = delays[attempt - 1]
  if (delay === undefined) return { kind: 'dead-letter' }
  return { kind: 'retry', delay, dueAt: Math.round(at + delay.ms * (1 + 0.1 * jitter)) }
}
