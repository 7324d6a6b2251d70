import * as z from 'zod'
import { RuleCode } from './violation-rules.ts'

/** All error codes of the public APIs with their HTTP status. The list is closed. */
export const httpStatusByCode = {
  VALIDATION_ERROR: 400,
  ENVIRONMENT_MISMATCH: 400,
  AUTH_INVALID_CODE: 400,
  ADMIN_TOKEN_INVALID: 401,
  MANAGEMENT_TOKEN_INVALID: 401,
  AUTH_INVALID_CREDENTIALS: 401,
  AUTH_TOKEN_EXPIRED: 401,
  AUTH_TOKEN_INVALID: 401,
  AUTH_EMAIL_NOT_VERIFIED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  AUTH_NOT_CONFIGURED: 404,
  ENVIRONMENT_NOT_FOUND: 404,
  MANAGEMENT_TOKEN_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  TABLE_NOT_FOUND: 404,
  RECORD_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  EVENT_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  REPLAY_NOT_FOUND: 404,
  ENDPOINT_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  AUTH_EMAIL_EXISTS: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  AUTH_ACCOUNT_LOCKED: 423,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof httpStatusByCode

/** One fault of a request. `field` is a dotted path (`events.0`), or `body` for the whole body. */
export const Violation = z
  .object({
    field: z.string().describe('The dotted path of the fault, or `body`'),
    message: z.string().describe('The broken rule'),
    rule: RuleCode.optional().describe('The code of the broken rule'),
  })
  .meta({ id: 'Violation' })
export type Violation = z.infer<typeof Violation>
/** A fault as the services answer it. Older ones may send no rule. */
export type RuledViolation = Violation & Required<Pick<Violation, 'rule'>>

/** Body of every error response. */
export const Problem = z
  .object({
    error: z.enum(Object.keys(httpStatusByCode) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().optional().describe('A sentence for developers'),
    violations: z.array(Violation).optional().describe('Each fault of the request'),
    lockedUntil: z.iso.datetime().optional().describe('When the lock of the account ends'),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>
