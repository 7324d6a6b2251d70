import { useMutation } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { useAbortable } from '../../api/use-abortable.ts'
import { jsonObjectIn } from '../../parts/forms/json-object.ts'
import { ask, type GraphQLBody } from './ask.ts'
import type { Draft } from './draft.ts'
import type { AskingUser, GraphQLEndpoint } from './endpoints.ts'
import { chosenOf } from './operations-text.ts'

/** Runs what is in the editor. A new run, or leaving the page, ends the one before. */
export function useRun(endpoint: GraphQLEndpoint, { token }: AskingUser) {
  const api = useApi()
  const { newSignal } = useAbortable()
  return useMutation({
    mutationFn: (body: GraphQLBody) =>
      ask(api, { endpoint, body, userToken: token, signal: newSignal() }),
  })
}

export type Request = { body: GraphQLBody; fault?: never } | { body: null; fault: string | null }

/** The request that the fields say, or what is wrong with the variables. */
export function requestOf(
  { variables, operation }: Pick<Draft, 'variables' | 'operation'>,
  query: string,
  operations: readonly string[],
): Request {
  if (query.trim() === '') return { body: null, fault: null }
  const chosen = chosenOf(operation, operations)
  const named = operations.length > 1 && chosen !== undefined ? { operationName: chosen } : {}
  if (variables.trim() === '') return { body: { query, ...named } }
  const parsed = jsonObjectIn(variables)
  if ('fault' in parsed) return { body: null, fault: parsed.fault }
  return { body: { query, variables: parsed.value, ...named } }
}
