import type { GraphQLRequest } from '@surehook/contracts/http/graphql'
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { createHandler, type FormatError, type OperationContext } from 'graphql-http'
import { toAppError } from '../http/problem.ts'
import type { RequestContext } from '../http/request/request-context.ts'
import type { OwnerName } from '../slots/fair-slots.ts'
import { codedError } from './coded-error.ts'
import type { Introspection } from './introspection.ts'
import { requireShallow } from './nesting.ts'
import { type QueryLimits, requireSmall } from './query-limits.ts'

type Log = RequestContext['log']

/** Limits of one endpoint on its documents. */
export type GraphQLTransport = {
  maxTokens: number
  limits: QueryLimits
  introspection: Introspection
}

export type GraphQLQuestion<Context> = {
  /** Called only once the document is known to be within the limits. */
  schemaFor: (document: DocumentNode) => GraphQLSchema
  rootValue?: unknown
  context: Context
  /** Those who ask for the schema take turns. */
  client: OwnerName
  request: GraphQLRequest
  log: Log
}

/**
 * Each error costs time: GraphQL searches for suggestions and prints the value, which may be 1 MiB
 * of variables.
 */
const maxErrors = 20

/** Minimal request for the GraphQL handler. `mount` has already read and validated the real one. */
const posted = {
  method: 'POST',
  url: '/',
  headers: { accept: 'application/json', 'content-type': 'application/json' },
} as const

/**
 * JSON text of the result. Without `data` nothing was executed, because the document or its
 * variables are at fault.
 */
export type GraphQLAnswer = { text: string; hasData: boolean }

/**
 * Executes a request. Rejects before execution with an exceeded limit or an error of `schemaFor`.
 */
export async function answerGraphQL<Context extends OperationContext>(
  transport: GraphQLTransport,
  question: GraphQLQuestion<Context>,
): Promise<GraphQLAnswer> {
  const { request, client } = question
  requireShallow(request.query, transport.maxTokens)
  const answer = () => answerInTurn(transport, question)
  return transport.introspection.inTurn(request, client, answer)
}

async function answerInTurn<Context extends OperationContext>(
  transport: GraphQLTransport,
  { schemaFor, rootValue, context, request, log }: GraphQLQuestion<Context>,
): Promise<GraphQLAnswer> {
  const { query, variables = null, operationName = null } = request
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
      const options = { maxCoercionErrors: 1 }
      const result = await transport.introspection.execute({ ...args, options })
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

/** JSON text for a request that was not executed. */
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
