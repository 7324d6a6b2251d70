import { isNativeError } from 'node:util/types'
import { type ErrorCode, httpStatusByCode, type Violation } from '@surehook/contracts/problem'

export type AppErrorOptions = {
  cause?: unknown
  violations?: readonly Violation[] | undefined
  /** Becomes `Retry-After`. */
  retryAfterS?: number | undefined
  /** Until when a lock holds. */
  lockedUntil?: Date | undefined
}

/** The one error that domain code throws: a code from the closed list, never an HTTP status. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly violations?: readonly Violation[]
  readonly retryAfterS?: number
  readonly lockedUntil?: Date

  /** `message` reaches the caller unless the status is a 5xx. */
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

/** A request with faults: 400 VALIDATION_ERROR naming each of them. */
export function invalid(violations: readonly Violation[]): AppError {
  return new AppError('VALIDATION_ERROR', 'The request is not valid', { violations })
}

/** Something we depend on is away: 503 with `Retry-After`. `what` is for the log, not the caller. */
export function unavailable(what: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', what, { cause, retryAfterS: 1 })
}

/** What an unknown error says, in one line. */
export function reasonOf(err: unknown): string {
  return isNativeError(err) ? err.message || err.name : String(err)
}
