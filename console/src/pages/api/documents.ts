import type { OpenApiDocument } from '@surehook/contracts/openapi/reference/openapi-document'
import { useQuery } from '@tanstack/react-query'
import { type Api, useApi } from '../../api/api.ts'

/** The OpenAPI documents that the gateway serves beside the console. */
export const documents = [
  { name: 'data', title: 'Data API', about: 'Tables, records and changes that you publish' },
  { name: 'webhooks', title: 'Webhook API', about: 'Webhooks, deliveries, events and endpoints' },
  { name: 'auth', title: 'Authentication', about: 'Sign-up, login and sessions of users' },
  { name: 'admin', title: 'Administration', about: 'Projects, settings, tokens, roles and users' },
] as const

export type ApiDocument = (typeof documents)[number]

export const pathOf = ({ name }: Pick<ApiDocument, 'name'>): string => `/openapi/${name}.json`

/** The documents themselves. They change with an upgrade only. */
export function useDocuments() {
  const api = useApi()
  return useQuery({
    queryKey: api.keyOf('openapi'),
    queryFn: ({ signal }) => Promise.all(documents.map((one) => read(api, one, signal))),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}

async function read({ request }: Api, one: ApiDocument, signal: AbortSignal) {
  const answer = await request(pathOf(one), { signal })
  if (!answer.ok) throw new Error(`${pathOf(one)} answered ${answer.status}`)
  return (await answer.json()) as OpenApiDocument
}
