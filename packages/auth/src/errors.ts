import type { Problem } from './generated/types.gen.ts'

/**
 * A code of the API, or of this package: nobody is signed in, nothing came back, too late, or no
 * answer of Surehook.
 */
export type ErrorCode =
  | Problem['error']
  | 'SIGNED_OUT'
  | 'CONNECTION_FAILED'
  | 'TIMEOUT'
  | 'UNEXPECTED_RESPONSE'
  // A newer server may have newer codes.
  | (string & {})

export type Violation = NonNullable<Problem['violations']>[number]

export type ErrorDetails = {
  code: ErrorCode
  status?: number | undefined
  requestId?: string | undefined
  violations?: readonly Violation[] | undefined
  retryAfter?: number | undefined
  lockedUntil?: string | undefined
  cause?: unknown
}

/** Every failure of a call, except the caller's own abort. No error holds a token or a password. */
export class AuthError extends Error {
  override readonly name: string = 'AuthError'
  readonly code: ErrorCode
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined
  /** Finds the request in the logs of Surehook. */
  readonly requestId: string | undefined
  /** Each fault of the request. */
  readonly violations: readonly Violation[]
  /** The seconds to wait before the next attempt, if the answer names them. */
  readonly retryAfter: number | undefined
  /** When the lock of the account ends. */
  readonly lockedUntil: string | undefined

  constructor(message: string, details: ErrorDetails) {
    super(message, details)
    this.code = details.code
    this.status = details.status
    this.requestId = details.requestId
    this.violations = details.violations ?? []
    this.retryAfter = details.retryAfter
    this.lockedUntil = details.lockedUntil
  }
}

/** `VALIDATION_ERROR`: `violations` names the faults. */
export class ValidationError extends AuthError {
  override readonly name = 'ValidationError'
}

/** `RATE_LIMIT_EXCEEDED`: wait `retryAfter` seconds. */
export class RateLimitError extends AuthError {
  override readonly name = 'RateLimitError'
}

/** `SIGNED_OUT`: nobody is signed in, or the session has ended. Show the login. */
export class SignedOutError extends AuthError {
  override readonly name = 'SignedOutError'

  constructor(cause?: AuthError) {
    const { status, requestId } = cause ?? {}
    const details = { code: 'SIGNED_OUT', status, requestId }
    super('Nobody is signed in', cause ? { ...details, cause } : details)
  }
}

/** No answer came: the call may have happened. */
export class ConnectionError extends AuthError {
  override readonly name: string = 'ConnectionError'
}

/** No answer came in time: the call may have happened. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}
