import {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  SurehookError,
  ValidationError,
  type Violation,
} from '../errors.ts'
import type { Problem } from '../generated/webhooks/types.gen.ts'

const classByStatus: Record<number, typeof SurehookError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  429: RateLimitError,
}

/** The error of an answer that is not a success. A proxy may have sent it, then it has no code. */
export function errorOf(response: Response, text: string, sentId: string): SurehookError {
  const { status, headers } = response
  const problem = problemIn(text)
  const requestId = headers.get('x-request-id') ?? sentId
  const details = {
    code: problem?.error ?? 'UNEXPECTED_RESPONSE',
    status,
    requestId,
    violations: problem?.violations,
    retryAfter: secondsOf(headers.get('retry-after')),
    lockedUntil: problem?.lockedUntil,
  }
  const Class = classByStatus[status] ?? (status >= 500 ? ServerError : SurehookError)
  return new Class(messageOf(problem, status, requestId), details)
}

/** Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or an HTTP date. */
export function secondsOf(retryAfter: string | null, now = Date.now()): number | undefined {
  if (retryAfter === null) return undefined
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}

function problemIn(text: string): Problem | undefined {
  try {
    const body: unknown = JSON.parse(text)
    const isProblem = typeof body === 'object' && body !== null && 'error' in body
    return isProblem && typeof body.error === 'string' ? (body as Problem) : undefined
  } catch {
    // Not JSON, so not from Surehook.
    return undefined
  }
}

function messageOf(problem: Problem | undefined, status: number, requestId: string): string {
  const faults = (problem?.violations ?? []).map(describe).join('; ')
  const what = problem?.message ?? problem?.error ?? `The answer ${status} is not from Surehook`
  return `${what}${faults === '' ? '' : `: ${faults}`} (status ${status}, request ${requestId})`
}

const describe = ({ field, message }: Violation) => `${field} ${message}`
