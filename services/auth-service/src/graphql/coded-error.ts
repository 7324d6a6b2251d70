import type { AppError } from '@surehook/service-kit/errors'
import { invalid } from '@surehook/service-kit/errors'
import { problemOf, retryAfterOf, toAppError } from '@surehook/service-kit/http/problem'
import { GraphQLError } from 'graphql'

/**
 * The error as REST would tell it: `extensions.code`, and what else belongs to the code. What GraphQL
 * itself refuses (syntax, types, limits) is a request that is not valid.
 */
export function codedError(error: GraphQLError): { coded: GraphQLError; problem: AppError } {
  const thrown = thrownBy(error)
  const problem = thrown === null ? invalid([violationOf(error.message)]) : toAppError(thrown)
  const { error: code, message, ...details } = problemOf(problem)
  const retryAfter = retryAfterOf(problem)
  const { nodes, source, positions, path } = error
  const coded = new GraphQLError(thrown === null ? error.message : (message ?? code), {
    nodes,
    source,
    positions,
    path,
    extensions: { code, ...details, ...(retryAfter === undefined ? {} : { retryAfter }) },
  })
  return { coded, problem }
}

/** What a resolver threw; `null` when GraphQL refused the request. */
function thrownBy(error: GraphQLError): unknown {
  const { originalError } = error
  if (originalError === undefined || originalError === null) return null
  return originalError instanceof GraphQLError ? thrownBy(originalError) : originalError
}

/** Forms of GraphQL's messages that name an argument, each with its name. */
const argumentForms = [/^Variable "\$(\w+)"/, /argument "(?:[\w.]+\()?(\w+):?\)?"/i]

function violationOf(message: string) {
  const named = argumentForms.map((form) => form.exec(message)?.[1]).find(Boolean)
  return { field: named ?? 'query', message: message.slice(0, 300) }
}
