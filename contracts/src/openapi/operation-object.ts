import { STATUS_CODES } from 'node:http'
import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi'
import { credentialsOf, type Operation } from '../operation.ts'
import { type ErrorCode, httpStatusByCode, Problem } from '../problem.ts'
import { errorMeanings } from './error-meanings.ts'

const answered = {
  'X-Request-Id': z.string().meta({ description: 'As sent with the request, or a new one' }),
}
const Headers = z.object(answered)
const ETagHeaders = z.object({
  ...answered,
  ETag: z
    .string()
    .optional()
    .meta({ description: 'The state of the record, for `If-Match` and `If-None-Match`' }),
})
const RetryHeaders = z.object({
  ...answered,
  'Retry-After': z.string().meta({ description: 'Seconds' }),
})
const retryLater: ReadonlySet<number> = new Set([429, 503])

/** Error codes of every operation, and of every operation with a body. */
const always: readonly ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
const withBody: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]

/** OpenAPI object of one operation. */
export function operationObject(operation: Operation): ZodOpenApiOperationObject {
  const { id, summary, description, tag, security, right, params, query, headers, body } = operation
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: credentialsOf(security).map((name) => ({ [name]: [] })),
    // Not a scope of `security`: linters and generators accept those only for OAuth.
    ...(right !== undefined && { 'x-management-right': right }),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headers && { header: headers }),
    },
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          Object.entries(operation.bodies ?? { 'application/json': body }).map(([type, schema]) => [
            type,
            { schema },
          ]),
        ),
      },
    }),
    responses: {
      [`${operation.reply.status}` as '200']: success(operation),
      ...notModified(operation),
      ...failures(operation),
    },
  }
}

function notModified({ method, reply }: Operation): { '304'?: ZodOpenApiResponseObject } {
  if (method !== 'get' || reply.hasETag !== true) return {}
  return { '304': { description: 'You already have this state', headers: ETagHeaders } }
}

const contentOf = <Content>({ mediaTypes = ['application/json'] }: Operation, content: Content) =>
  Object.fromEntries(mediaTypes.map((type) => [type, content]))

function success(operation: Operation): ZodOpenApiResponseObject {
  const { reply } = operation
  const description = reply.description ?? STATUS_CODES[reply.status] ?? ''
  if (reply.status === 204) return { description, headers: Headers }
  return {
    description,
    headers: reply.hasETag === true ? ETagHeaders : Headers,
    content: contentOf(operation, { schema: reply.schema }),
  }
}

function failures(operation: Operation): Record<'400', ZodOpenApiResponseObject> {
  const { errors, body, refusal } = operation
  const codes = [...new Set([...errors, ...(body === undefined ? [] : withBody), ...always])]
  const byStatus = Map.groupBy(codes.toSorted(), (code) => httpStatusByCode[code])
  const responses = [...byStatus].map(([status, group]) => [
    status,
    {
      description: group.join(', '),
      headers: retryLater.has(status) ? RetryHeaders : Headers,
      content:
        refusal === undefined
          ? { 'application/json': { schema: Problem, examples: examplesOf(group) } }
          : refusals(operation, refusal),
    },
  ])
  return Object.fromEntries(responses)
}

/**
 * The gateway always reports its own refusals as a `Problem`, even if the operation uses another
 * form.
 */
function refusals(operation: Operation, refusal: z.ZodType) {
  const json = { 'application/json': { schema: z.union([refusal, Problem]) } }
  return { ...contentOf(operation, { schema: refusal }), ...json }
}

function examplesOf(codes: readonly ErrorCode[]) {
  const violations = [{ field: 'events.0', message: 'Invalid option' }]
  return Object.fromEntries(
    codes.map((error) => [
      error,
      {
        summary: errorMeanings[error],
        value: error === 'VALIDATION_ERROR' ? { error, violations } : { error },
      },
    ]),
  )
}
