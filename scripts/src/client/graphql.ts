import type { Problem } from '@surehook/contracts/problem'
import { type Fields, type RequestHeaders, send } from './call.ts'

type Extensions = Pick<Problem, 'violations'> & { code: string; retryAfter?: number }

/** An answer to a caller that expects `T` of each field. */
export type GraphQLAnswer<T = Fields> = {
  status: number
  text: string
  data: Record<string, T> | null
  errors: { message: string; path?: string[]; extensions: Extensions }[]
  codes: string[]
}

/** Queries the GraphQL endpoint at `url`. */
export async function askGraphQL<T = Fields>(
  url: string,
  headers: RequestHeaders,
  { query, variables = {} }: { query: string; variables?: object | undefined },
): Promise<GraphQLAnswer<T>> {
  const call = { body: { query, variables }, headers }
  const answer = await send<Partial<GraphQLAnswer<T>>>(url, 'POST', call)
  const { data = null, errors = [] } = answer.body
  const codes = errors.map(({ extensions }) => extensions.code)
  return { status: answer.status, text: answer.text, data, errors, codes }
}
