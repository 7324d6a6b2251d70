import { useQuery } from '@tanstack/react-query'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { useApi } from '../../api/api.ts'
import { ask } from './ask.ts'
import type { AskingUser, GraphQLEndpoint } from './endpoints.ts'

type Answer = {
  data?: IntrospectionQuery
  errors?: readonly { message: string }[]
}

/** The schema that the caller may use. It changes with the tables, so each visit reads it again. */
export function useSchema(endpoint: GraphQLEndpoint, { token, version }: AskingUser) {
  const api = useApi()
  return useQuery({
    queryKey: api.keyOf('graphql-schema', endpoint.id, version),
    staleTime: 30_000,
    // Dropped when the page is left: `version` starts again at 0.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const body = { query: getIntrospectionQuery() }
      const { text, status } = await ask(api, { endpoint, body, userToken: token, signal })
      return schemaIn(text, status)
    },
  })
}

function schemaIn(text: string, status: number) {
  const { data, errors } = JSON.parse(text) as Answer
  if (data) return buildClientSchema(data)
  const reasons = (errors ?? []).map(({ message }) => message)
  throw new Error(`The schema cannot be read: ${reasons.join(', ') || `HTTP ${status}`}`)
}
