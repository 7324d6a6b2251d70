import type { GraphQLRequest } from '@surehook/contracts/http/auth'
import type { RequestContext } from '@surehook/service-kit/http/request-context'
import { buildSchema, GraphQLError, parse } from 'graphql'
import { createHandler, type FormatError } from 'graphql-http'
import type { AuthApi, Call } from '../api/auth-api.ts'
import { codedError } from './coded-error.ts'
import { limitQuery } from './query-limits.ts'
import { createResolvers, type GraphQLContext } from './resolvers.ts'
import { typeDefs } from './type-defs.ts'

export type GraphQLEndpointDeps = {
  api: AuthApi
  openCall: (context: RequestContext) => Promise<Call>
}

/** Answers a GraphQL request with the JSON text of its result, whatever its operations came to. */
export type ExecuteGraphQL = (request: GraphQLRequest, context: RequestContext) => Promise<string>

const maxTokens = 2_000
const limits = { maxDepth: 6, maxAliases: 60, maxCost: 1_000, mutationCost: 15 }

/** What the server needs of the request that `mount` has read and judged already. */
const request = { method: 'POST', url: '/', headers: { accept: 'application/json' } } as const

export function createGraphQL({ api, openCall }: GraphQLEndpointDeps): ExecuteGraphQL {
  const schema = buildSchema(typeDefs)
  const rootValue = createResolvers(api)
  return async (body, context) => {
    let opened: Promise<Call> | undefined
    const resolverContext: GraphQLContext = { call: () => (opened ??= openCall(context)) }
    const handle = createHandler<unknown, unknown, GraphQLContext>({
      schema,
      rootValue,
      context: resolverContext,
      parse: (source, options) => parse(source, { ...options, maxTokens }),
      validationRules: (_req, _args, specified) => [...specified, limitQuery(limits)],
      formatError: tellIn(context.log),
    })
    const { query, variables = null, operationName = null } = body
    const params = { query, variables, operationName }
    const [text] = await handle({
      ...request,
      headers: { ...request.headers, 'content-type': 'application/json' },
      body: params,
      raw: undefined,
      context: undefined,
    })
    if (text === null) throw new Error('GraphQL gave no answer')
    return text
  }
}

function tellIn(log: RequestContext['log']): FormatError {
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
