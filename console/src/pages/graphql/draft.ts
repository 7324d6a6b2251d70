import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import type { GraphQLEndpoint } from './endpoints.ts'

export type GraphQLRequest = { query: string; variables: string }

export type Draft = {
  /** `null` until the user types. Then the page suggests a query. */
  query: string | null
  variables: string
  operation: string | null
  /** What was run, newest first. */
  past: readonly GraphQLRequest[]
}

const empty: Draft = { query: null, variables: '', operation: null, past: [] }
const maxPast = 20

/**
 * What the user typed, while they visit other pages. It lives in the cache of the session's
 * queries, which ends with the session, and never in the storage of the browser.
 */
export function useDraft({ id }: GraphQLEndpoint): [Draft, (part: Partial<Draft>) => void] {
  const { keyOf } = useApi()
  const queries = useQueryClient()
  const queryKey = keyOf('graphql-draft', id)
  const { data } = useQuery({
    queryKey,
    queryFn: () => empty,
    initialData: empty,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const change = (part: Partial<Draft>) =>
    void queries.setQueryData<Draft>(queryKey, (before = empty) => ({ ...before, ...part }))
  return [data, change]
}

/** The newest first, each once. */
export const withAsked = (
  past: readonly GraphQLRequest[],
  asked: GraphQLRequest,
): GraphQLRequest[] => [asked, ...past.filter((one) => !isSame(one, asked))].slice(0, maxPast)

const isSame = (a: GraphQLRequest, b: GraphQLRequest) =>
  a.query === b.query && a.variables === b.variables

/** The name of a query in the history: its first words. */
export const titleOf = ({ query }: GraphQLRequest): string => {
  const line = query
    .replaceAll(/^\s*#.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
