import { isNativeError } from 'node:util/types'
import { type ErrorCode, httpStatusByCode, type RuledViolation } from '@surehook/contracts/problem'

export type AppErrorOptions = {
  cause?: unknown
  violations?: readonly RuledViolation[] | undefined
  /** Value of `Retry-After` in seconds. */
  retryAfterS?: number | undefined
  /** End of a lockout. */
  lockedUntil?: Date | undefined
}

/**
 * The only error that domain code throws. It has a code from the closed list, never an HTTP status.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly violations?: readonly RuledViolation[]
  readonly retryAfterS?: number
  readonly lockedUntil?: Date

  /** `message` reaches the caller unless the status is 5xx. */
  constructor(code: ErrorCode, message?: string, options: AppErrorOptions = {}) {
    super(message ?? '', options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    if (options.violations !== undefined) this.violations = options.violations
    if (options.retryAfterS !== undefined) this.retryAfterS = options.retryAfterS
    if (options.lockedUntil !== undefined) this.lockedUntil = options.lockedUntil
  }

  get status(): number {
    return httpStatusByCode[this.code]
  }
}

/** An answer names no more faults. */
export const maxViolations = 100

/** A request with faults: 400 VALIDATION_ERROR that names each fault. */
export function invalid(violations: readonly RuledViolation[]): AppError {
  return new AppError('VALIDATION_ERROR', 'The request is not valid', { violations })
}

/** A dependency is unreachable: 503 with `Retry-After`. Only the log shows `what`. */
export function unavailable(what: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', what, { cause, retryAfterS: 1 })
}

/** Message of an unknown error, in one line. */
export function reasonOf(err: unknown): string {
  return isNativeError(err) ? err.message || err.name : String(err)
}
