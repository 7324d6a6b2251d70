import type { Problem } from '@surehook/contracts/problem'
import type { Fields } from './client.ts'
import type { Tenant } from './under-test.ts'

type Coded = Pick<Problem, 'violations'> & { code: string; retryAfter?: number }
export type GraphQLAnswer = {
  status: number
  text: string
  // Every field that an answer may have; the tests say which ones they expect.
  data: Record<string, Fields & { records: Fields[]; nextCursor: string | null } & Fields[]> | null
  errors: { message: string; path?: string[]; extensions: Coded }[]
  codes: string[]
}

export type GraphQLClient = (
  query: string,
  variables?: object,
  headers?: Record<string, string>,
) => Promise<GraphQLAnswer>

/** Asks the service as `tenant`. */
export function graphqlClientOf(api: string, tenant: Tenant): GraphQLClient {
  return async (query, variables = {}, headers = {}) => {
    const response = await fetch(`${api}/api/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.token}`,
        'x-project-id': tenant.projectId,
        environment: tenant.environment,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    const { data = null, errors = [] } = JSON.parse(text) as Partial<GraphQLAnswer>
    const codes = errors.map(({ extensions }) => extensions.code)
    return { status: response.status, text, data, errors, codes }
  }
}
