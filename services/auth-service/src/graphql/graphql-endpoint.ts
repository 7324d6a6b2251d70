import type { GraphQLRequest } from '@surehook/contracts/http/auth'
import type { RequestContext } from '@surehook/service-kit/http/request-context'
import { buildSchema, GraphQLError, parse } from 'graphql'
import { createHandler, type FormatError } from 'graphql-http'
import type { AuthApi, Call } from '../api/auth-api.ts'
import { codedError } from './coded-error.ts'
import { requireSmall } from './query-limits.ts'
import { createResolvers, type GraphQLContext } from './resolvers.ts'
import { typeDefs } from './type-defs.ts'

type Log = RequestContext['log']

export type GraphQLEndpoint = {
  /** The JSON text of the result, whatever the operations came to. */
  execute(request: GraphQLRequest, call: Call, log: Log): Promise<string>
  /** The JSON text for a request that is for no tenant: nothing of it was looked at. */
  refuse(err: unknown, log: Log): string
}

/** Sixty logins or signups are about 1,000 tokens and cost 700; no question needs more. */
const maxTokens = 1_000
const limits = {
  maxDefinitions: 20,
  maxDepth: 6,
  maxAliases: 60,
  maxRepeats: 5,
  maxCost: 700,
  mutationCost: 10,
  schemaAliasCost: 70,
}

/** What the server needs of the request that `mount` has read and judged already. */
const request = { method: 'POST', url: '/', headers: { accept: 'application/json' } } as const

export function createGraphQL(api: AuthApi): GraphQLEndpoint {
  const schema = buildSchema(typeDefs)
  const rootValue = createResolvers(api)
  return {
    async execute({ query, variables = null, operationName = null }, call, log) {
      const handle = createHandler<unknown, unknown, GraphQLContext>({
        schema,
        rootValue,
        context: { call },
        parse(source, options) {
          const document = parse(source, { ...options, maxTokens })
          requireSmall(document, limits)
          return document
        },
        formatError: tellIn(log),
      })
      const [text] = await handle({
        ...request,
        headers: { ...request.headers, 'content-type': 'application/json' },
        body: { query, variables, operationName },
        raw: undefined,
        context: undefined,
      })
      if (text === null) throw new Error('GraphQL gave no answer')
      return text
    },
    refuse(err, log) {
      const originalError = err instanceof Error ? err : new Error('refused', { cause: err })
      return JSON.stringify({ errors: [tellIn(log)(new GraphQLError('', { originalError }))] })
    },
  }
}

function tellIn(log: Log): FormatError {
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
