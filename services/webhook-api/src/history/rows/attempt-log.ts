import type { DeliveryAttempt, DeliveryStatus, ErrorClass } from '@surehook/contracts/events'
import type { DeliveryDetail } from '@surehook/contracts/http/webhooks/deliveries'
import { textOrNull } from './storable-text.ts'

/** An attempt as a line of the column `attempt_log`. */
type EncodedAttempt = readonly [
  step: number,
  at: number,
  attempt: number,
  status: DeliveryStatus,
  url: string,
  httpStatus: number | null,
  latencyMs: number | null,
  errorClass: ErrorClass | null,
  errorMessage: string | null,
  answer: string | null,
]

/** Encodes attempts as lines, to be appended to those in the row. Returns `null` for none. */
export function attemptLines(attempts: readonly DeliveryAttempt[]): string | null {
  return attempts.length === 0 ? null : attempts.map(lineOf).join('')
}

function lineOf(transition: DeliveryAttempt): string {
  const { step, at, attempts, status, url, httpStatus, latencyMs, errorClass } = transition
  const [message, answer] = [textOrNull(transition.errorMessage), textOrNull(transition.answer)]
  const encoded: EncodedAttempt = [
    step,
    at,
    attempts,
    status,
    url,
    httpStatus,
    latencyMs,
    errorClass,
    message,
    answer,
  ]
  return `${JSON.stringify(encoded)}\n`
}

/**
 * Decodes the attempts in the order they were made. An attempt that was read twice appears once.
 */
export function readAttempts(log: string | null): DeliveryDetail['attemptLog'] {
  const lines = (log ?? '').split('\n').filter((line) => line !== '')
  const attempts = lines.map((line) => JSON.parse(line) as EncodedAttempt)
  const unique = new Map(attempts.map((attempt) => [`${attempt[0]} ${attempt[1]}`, attempt]))
  return [...unique.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(shown)
}

function shown([, at, attempt, outcome, url, ...result]: EncodedAttempt) {
  const [httpStatus, latencyMs, errorClass, errorMessage, answer] = result
  return {
    at: new Date(at).toISOString(),
    attempt,
    outcome,
    url,
    httpStatus,
    latencyMs,
    errorClass,
    errorMessage,
    answer,
  }
}
