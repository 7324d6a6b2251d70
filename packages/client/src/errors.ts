import type { Problem } from './generated/webhooks/types.gen.ts'

/** A code of the API, or of the client: nothing came back, too late, or no answer of Surehook. */
export type ErrorCode =
  | Problem['error']
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

/** Every failure of a call, except the caller's own abort. No error holds the token. */
export class SurehookError extends Error {
  override readonly name: string = 'SurehookError'
  readonly code: ErrorCode
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined
  /** Finds the request in the logs of Surehook. */
  readonly requestId: string | undefined
  /** Each fault of the request. */
  readonly violations: readonly Violation[]
  /** The seconds to wait before the next attempt, if the answer names them. */
  readonly retryAfter: number | undefined
  /** When the lock of an account ends. */
  readonly lockedUntil: string | undefined

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.status = details.status
    this.requestId = details.requestId
    this.violations = details.violations ?? []
    this.retryAfter = details.retryAfter
    this.lockedUntil = details.lockedUntil
  }
}

/** 400: `violations` names the faults. */
export class ValidationError extends SurehookError {
  override readonly name = 'ValidationError'
}

/** 401: the token is missing, wrong, expired or revoked. */
export class AuthenticationError extends SurehookError {
  override readonly name = 'AuthenticationError'
}

/** 403: the token may not do this. */
export class PermissionError extends SurehookError {
  override readonly name = 'PermissionError'
}

/** 404: `code` says what is missing, such as `RECORD_NOT_FOUND`. */
export class NotFoundError extends SurehookError {
  override readonly name = 'NotFoundError'
}

/** 409: such as an idempotency key that another request used. */
export class ConflictError extends SurehookError {
  override readonly name = 'ConflictError'
}

/** 412: somebody changed the record since you read it. */
export class PreconditionFailedError extends SurehookError {
  override readonly name = 'PreconditionFailedError'
}

/** 429: wait `retryAfter` seconds. */
export class RateLimitError extends SurehookError {
  override readonly name = 'RateLimitError'
}

/** 500 and above: the call may have happened. */
export class ServerError extends SurehookError {
  override readonly name = 'ServerError'
}

/** No answer came: the call may have happened. */
export class ConnectionError extends SurehookError {
  override readonly name: string = 'ConnectionError'
}

/** No answer came in time: the call may have happened. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}
