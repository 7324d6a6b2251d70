import { type Fields, headersOf } from '@surehook/scripts/client/call'
import { askGraphQL, type GraphQLAnswer } from '@surehook/scripts/client/graphql'
import type { Tenant } from './under-test.ts'

export type GraphQLClient = <T = Fields>(
  query: string,
  variables?: object,
  headers?: Record<string, string>,
) => Promise<GraphQLAnswer<T>>

/** A client that queries the service as `tenant`. */
export const graphqlClientOf =
  (api: string, tenant: Tenant): GraphQLClient =>
  (query, variables, headers) =>
    askGraphQL(`${api}/api/graphql`, { ...headersOf(tenant), ...headers }, { query, variables })
