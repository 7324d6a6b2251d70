import { STATUS_CODES } from 'node:http'
import * as z from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi'
import { credentialsOf, type Operation } from '../operation.ts'
import { type ErrorCode, httpStatusByCode, Problem } from '../problem.ts'
import { errorMeanings } from './error-meanings.ts'

const shapes = {
  answered: {
    'X-Request-Id': z.string().meta({ description: 'As sent with the request, or a new one' }),
  },
  limited: {
    'RateLimit-Policy': z.string().optional().meta({
      description: 'The limits of the project and of the token, once the credential is known',
    }),
    RateLimit: z.string().optional().meta({
      description: 'What is left of both limits (`r`), and the seconds until they are whole (`t`)',
    }),
  },
  state: {
    ETag: z
      .string()
      .optional()
      .meta({ description: 'The state of the record, for `If-Match` and `If-None-Match`' }),
  },
  retry: { 'Retry-After': z.string().meta({ description: 'Seconds' }) },
}

/** True for operations on a tenant's own data. The administration of users has no such limits. */
function isLimited({ security }: Operation): boolean {
  const credentials = credentialsOf(security)
  return credentials.includes('management') && !credentials.includes('admin')
}

/** Headers of an answer of the operation. */
const headersOf = (operation: Operation, more?: 'state' | 'retry') =>
  z.object({
    ...shapes.answered,
    ...(isLimited(operation) && shapes.limited),
    ...(more && shapes[more]),
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

function notModified(operation: Operation): { '304'?: ZodOpenApiResponseObject } {
  const { method, reply } = operation
  if (method !== 'get' || reply.hasETag !== true) return {}
  return {
    '304': { description: 'You already have this state', headers: headersOf(operation, 'state') },
  }
}

const contentOf = <Content>({ mediaTypes = ['application/json'] }: Operation, content: Content) =>
  Object.fromEntries(mediaTypes.map((type) => [type, content]))

function success(operation: Operation): ZodOpenApiResponseObject {
  const { reply } = operation
  const description = reply.description ?? STATUS_CODES[reply.status] ?? ''
  if (reply.status === 204) return { description, headers: headersOf(operation) }
  return {
    description,
    headers: headersOf(operation, reply.hasETag === true ? 'state' : undefined),
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
      headers: headersOf(operation, retryLater.has(status) ? 'retry' : undefined),
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
