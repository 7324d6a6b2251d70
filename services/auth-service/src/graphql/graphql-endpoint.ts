import type { GraphQLRequest } from '@surehook/contracts/http/auth'
import type { RequestContext } from '@surehook/service-kit/http/request-context'
import type { GraphQLError, ParseOptions } from 'graphql'
import { createSchema, createYoga, type Plugin } from 'graphql-yoga'
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

type ServerContext = GraphQLContext & Pick<RequestContext, 'log'>

export function createGraphQL({ api, openCall }: GraphQLEndpointDeps): ExecuteGraphQL {
  const yoga = createYoga<ServerContext>({
    schema: createSchema<ServerContext>({ typeDefs, resolvers: createResolvers(api) }),
    plugins: [limitRequests, codeErrors],
    graphqlEndpoint: '/',
    // Errors are worded in one place, our own.
    maskedErrors: false,
    batching: false,
    multipart: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
  })
  return async (request, context) => {
    let opened: Promise<Call> | undefined
    const call = () => (opened ??= openCall(context))
    const response = await yoga.fetch(
      'http://localhost/',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(request),
      },
      { call, log: context.log },
    )
    return response.text()
  }
}

const limitRequests: Plugin = {
  onParse({ parseFn, setParseFn }) {
    setParseFn((source: string, options?: ParseOptions) =>
      parseFn(source, { ...options, maxTokens }),
    )
  },
  onValidate({ addValidationRule }) {
    addValidationRule(limitQuery(limits))
  },
}

const codeErrors: Plugin<object, ServerContext> = {
  onExecutionResult({ result, setResult, context }) {
    if (result === undefined || !('errors' in result) || result.errors === undefined) return
    const errors = result.errors.map((error) => told(error, context.log))
    setResult({ ...result, errors })
  },
}

function told(error: GraphQLError, log: RequestContext['log']): GraphQLError {
  const { coded, problem } = codedError(error)
  const field = error.path?.[0]
  if (problem.code === 'INTERNAL_ERROR') log.error({ err: problem.cause, field }, 'graphql.failed')
  else if (problem.status >= 500) log.warn({ err: problem, field }, 'graphql.unavailable')
  return coded
}
