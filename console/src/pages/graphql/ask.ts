import { curlOf } from '@surehook/contracts/openapi/reference/curl'
import type { Api } from '../../api/api.ts'
import type { GraphQLEndpoint } from './endpoints.ts'

export type GraphQLBody = {
  query: string
  variables?: Record<string, unknown>
  operationName?: string
}

export type Question = {
  endpoint: GraphQLEndpoint
  body: GraphQLBody
  /** The access token of a user, to ask as that user. */
  userToken: string
  signal?: AbortSignal
}

export type GraphQLAnswer = {
  status: number
  text: string
  /** Milliseconds until the answer was complete. */
  took: number
}

/** Sends a request. A refusal is an answer too, because GraphQL explains it in `errors`. */
export async function ask(api: Api, question: Question): Promise<GraphQLAnswer> {
  const began = performance.now()
  const answer = await send(api, question)
  const text = await answer.text()
  return { status: answer.status, text, took: performance.now() - began }
}

/** Only the session's own token may end the session: a user's token may expire at any time. */
function send(api: Api, { endpoint, body, userToken, signal }: Question): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  }
  if (endpoint.credential === 'management' && userToken === '') {
    return api.request(endpoint.path, init)
  }
  return api.requestAs(userToken === '' ? null : userToken, endpoint.path, init)
}

type CurlOptions = Pick<Question, 'endpoint' | 'body'> & {
  origin: string
  tenant: { project: string; environment: string }
  isUser: boolean
}

/** A command that sends the same request. The shell fills in the token. */
export function curlOfGraphQL({ endpoint, body, origin, tenant, isUser }: CurlOptions): string {
  const security = isUser
    ? [{ user: [] }]
    : endpoint.credential === 'management'
      ? [{ management: [] }]
      : []
  const header = (name: string, example: string) =>
    ({ name, in: 'header', example, schema: {} }) as const
  return curlOf(
    {
      security,
      parameters: [
        header('x-project-id', tenant.project),
        header('environment', tenant.environment),
      ],
      requestBody: { content: { 'application/json': { example: body } } },
    },
    { method: 'POST', path: endpoint.path, base: '', origin },
  )
}
