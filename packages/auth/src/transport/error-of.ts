import { AuthError, type ErrorDetails, RateLimitError, ValidationError } from '../errors.ts'
import type { Problem, Violation } from '../generated/types.gen.ts'
import { parseObject } from '../parse-object.ts'

/** The error of an answer that is not a success. A proxy may have sent it, then it has no code. */
export function errorOf({ status, headers }: Response, text: string, sentId: string): AuthError {
  const problem = problemIn(text)
  const requestId = headers.get('x-request-id') ?? sentId
  const details: ErrorDetails = {
    code: problem?.error ?? 'UNEXPECTED_RESPONSE',
    status,
    requestId,
    violations: problem?.violations,
    retryAfter: secondsOf(headers.get('retry-after')),
    lockedUntil: problem?.lockedUntil,
  }
  const Class = classOf(details.code)
  return new Class(messageOf(problem, status, requestId), details)
}

/** Null: not from Surehook. */
export function problemIn(text: string): Problem | null {
  const body = parseObject(text)
  return typeof body?.['error'] === 'string' ? (body as Problem) : null
}

function classOf(code: string): typeof AuthError {
  if (code === 'VALIDATION_ERROR') return ValidationError
  return code === 'RATE_LIMIT_EXCEEDED' ? RateLimitError : AuthError
}

/** Surehook sends seconds; a proxy may send a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
}

function messageOf(problem: Problem | null, status: number, requestId: string): string {
  const faults = (problem?.violations ?? []).map(describe).join('; ')
  const what = problem?.message ?? problem?.error ?? `The answer ${status} is not from Surehook`
  return `${what}${faults === '' ? '' : `: ${faults}`} (status ${status}, request ${requestId})`
}

const describe = ({ field, message }: Violation) => `${field} ${message}`
