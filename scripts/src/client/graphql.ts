import type { Problem } from '@surehook/contracts/problem'
import { type Fields, type Records, type RequestHeaders, send } from './call.ts'

type Extensions = Pick<Problem, 'violations'> & { code: string; retryAfter?: number }

export type GraphQLAnswer = {
  status: number
  text: string
  // Every field that an answer may have. Each test states the ones it expects.
  data: Record<string, Fields & Records & Fields[]> | null
  errors: { message: string; path?: string[]; extensions: Extensions }[]
  codes: string[]
}

/** Queries the GraphQL endpoint at `url`. */
export async function askGraphQL(
  url: string,
  headers: RequestHeaders,
  { query, variables = {} }: { query: string; variables?: object | undefined },
): Promise<GraphQLAnswer> {
  const answer = await send(url, 'POST', { body: { query, variables }, headers })
  const { data = null, errors = [] } = answer.body as unknown as Partial<GraphQLAnswer>
  const codes = errors.map(({ extensions }) => extensions.code)
  return { status: answer.status, text: answer.text, data, errors, codes }
}
