import type { GraphQLRequest } from '@surehook/contracts/http/graphql'
import { answerGraphQL, type GraphQLAnswer } from '@surehook/service-kit/graphql/graphql-transport'
import { Introspection } from '@surehook/service-kit/graphql/introspection'
import { limitKeyOf } from '@surehook/service-kit/http/request/client-networks'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { buildSchema } from 'graphql'
import type { AuthApi } from '../../use-cases/auth-api.ts'
import type { Call } from '../../use-cases/call.ts'
import { createResolvers, type GraphQLContext } from './resolvers.ts'
import { typeDefs } from './type-defs.ts'

type Log = RequestContext['log']

export type GraphQLEndpoint = {
  /** Rejects with a limit that the request exceeds. */
  execute(request: GraphQLRequest, call: Call, log: Log): Promise<GraphQLAnswer>
}

/** Sixty logins or signups have about 1,000 tokens and cost 700. No useful request needs more. */
const transport = {
  maxTokens: 1_000,
  limits: {
    maxDefinitions: 20,
    maxDepth: 6,
    maxAliases: 60,
    maxRepeats: 5,
    maxCost: 700,
    mutationCost: 10,
    queryCost: 1,
    schemaAliasCost: 70,
  },
}

export function createGraphQL(api: AuthApi): GraphQLEndpoint {
  const schema = buildSchema(typeDefs)
  const rootValue = createResolvers(api)
  const limited = { ...transport, introspection: new Introspection() }
  return {
    execute(request, call, log) {
      const context: GraphQLContext = { call }
      const client = [limitKeyOf(call.client.address), call.tenant.projectId]
      const question = { schemaFor: () => schema, rootValue, context, client, request, log }
      return answerGraphQL(limited, question)
    },
  }
}
