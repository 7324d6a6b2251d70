import type { GraphQLRequest } from '@surehook/contracts/http/graphql'
import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql'
import { createHandler, type FormatError, type OperationContext } from 'graphql-http'
import { toAppError } from '../http/problem.ts'
import type { RequestContext } from '../http/request/request-context.ts'
import { codedError } from './coded-error.ts'
import { requireShallow } from './nesting.ts'
import { type QueryLimits, requireSmall } from './query-limits.ts'

type Log = RequestContext['log']

/** What one endpoint decides about the documents that it takes. */
export type GraphQLTransport = { maxTokens: number; limits: QueryLimits }

export type GraphQLQuestion<Context> = {
  /** Asked when the document is known to be small. */
  schemaFor: (document: DocumentNode) => GraphQLSchema
  rootValue?: unknown
  context: Context
  request: GraphQLRequest
  log: Log
}

/** Each fault costs time: what it may have meant is looked for, and the value is printed (of variables, up to 1 MiB). */
const maxErrors = 20

/** What the server needs of the request that `mount` has read and judged already. */
const posted = {
  method: 'POST',
  url: '/',
  headers: { accept: 'application/json', 'content-type': 'application/json' },
} as const

/** The JSON text of the result. Without `data` nothing was executed: the document or its variables are at fault. */
export type GraphQLAnswer = { text: string; hasData: boolean }

/** Executes a request. Rejects with a limit that it exceeds, and with what `schemaFor` throws: nothing was executed then. */
export async function answerGraphQL<Context extends OperationContext>(
  transport: GraphQLTransport,
  { schemaFor, rootValue, context, request, log }: GraphQLQuestion<Context>,
): Promise<GraphQLAnswer> {
  const { query, variables = null, operationName = null } = request
  requireShallow(query, transport.maxTokens)
  let hasData = false
  const handle = createHandler<unknown, unknown, Context>({
    schema(_req, { document }) {
      requireSmall(document, transport.limits)
      return schemaFor(document)
    },
    rootValue,
    context,
    parse,
    async execute(args) {
      const result = await execute({ ...args, options: { maxCoercionErrors: 1 } })
      hasData = 'data' in result
      return result
    },
    validate: (schema, document, rules) => validate(schema, document, rules, { maxErrors }),
    formatError: formatterOf(log),
  })
  const body = { query, variables, operationName }
  const [text] = await handle({ ...posted, body, raw: undefined, context: undefined })
  if (text === null) throw new Error('GraphQL gave no answer')
  return { text, hasData }
}

/** The JSON text for a request of which nothing was executed. */
export function refuseGraphQL(err: unknown, log: Log): string {
  const originalError = toAppError(err)
  return JSON.stringify({ errors: [formatterOf(log)(new GraphQLError('', { originalError }))] })
}

function formatterOf(log: Log): FormatError {
  return (error) => {
    const { coded, problem } = codedError(asGraphQLError(error))
    const field = coded.path?.[0]
    if (problem.code === 'INTERNAL_ERROR')
      log.error({ err: problem.cause, field }, 'graphql.failed')
    else if (problem.status >= 500) log.warn({ err: problem, field }, 'graphql.unavailable')
    return coded
  }
}

const asGraphQLError = (error: Readonly<GraphQLError | Error>) =>
  error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error })
