import type { Problem } from '@surehook/contracts/problem'
import { type Answer, type Fields, type Headed, send } from '@surehook/scripts/client/call'

type Extensions = Pick<Problem, 'violations'> & { code: string; retryAfter?: number }
type Page = Fields & { records: Fields[]; nextCursor: string | null }

export type GraphQLAnswer = {
  status: number
  text: string
  // Every field that an answer may have; the tests say which ones they expect.
  data: Record<string, Page & Fields[]> | null
  errors: { message: string; path?: string[]; extensions: Extensions }[]
  codes: string[]
}

type Asker = { readonly headers: Headed }

/** Asks `/gw/api/graphql` as whoever has these headers. */
export async function askGraphQL(
  baseUrl: string,
  { headers }: Asker,
  question: { query: string; variables?: object; headers?: Headed },
): Promise<GraphQLAnswer> {
  const { query, variables = {}, headers: more = {} } = question
  const body = { query, variables }
  const answer = await send(baseUrl, 'POST /gw/api/graphql', {
    body,
    headers: { ...headers, ...more },
  })
  const { data = null, errors = [] } = answer.body as unknown as Partial<GraphQLAnswer>
  const codes = errors.map(({ extensions }) => extensions.code)
  return { status: answer.status, text: answer.text, data, errors, codes }
}

/** Calls below `/gw/api/rest/` as whoever has these headers. */
export function callRest(
  baseUrl: string,
  { headers }: Asker,
  request: string,
  body?: unknown,
): Promise<Answer> {
  const [method = 'GET', path = ''] = request.split(' ')
  return send(baseUrl, `${method} /gw/api/rest/${path}`, { body, headers })
}
