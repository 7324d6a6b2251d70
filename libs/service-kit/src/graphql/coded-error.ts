import type { Violation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { GraphQLError, Kind, print } from 'graphql'
import { type AppError, invalid } from '../errors.ts'
import { problemOf, retryAfterOf, toAppError } from '../http/problem.ts'

/**
 * The error as REST would tell it: `extensions.code`, and what else belongs to the code. What GraphQL
 * itself refuses (syntax, types, limits) is a request that is not valid.
 */
export function codedError(error: GraphQLError): { coded: GraphQLError; problem: AppError } {
  const thrown = thrownBy(error)
  const refusal = refusalOf(error)
  const problem = thrown === null ? invalid([violationOf(refusal)]) : toAppError(thrown)
  const { error: code, message, ...details } = problemOf(problem)
  const retryAfter = retryAfterOf(problem)
  const { nodes, source, positions, path } = error
  const coded = new GraphQLError(thrown === null ? refusal : (message ?? code), {
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

/** Where GraphQL's messages begin to repeat what was sent. */
const invalidVariable = /^(Variable "\$\w+") (?:has|got) invalid value/
const tokenWithValue = /((?:found|Unexpected) (?:String|BlockString|Int|Float|Name)) [^]*$/
const valueAtEnd = /(?: Found: |: |, found:? )[^]*$/

/** GraphQL's message without the values of the request: a password in the wrong place is a password still. */
function refusalOf({ message, nodes }: GraphQLError): string {
  const [node] = nodes ?? []
  const variable = invalidVariable.exec(message)?.[1]
  if (variable !== undefined) {
    const type = node?.kind === Kind.VARIABLE_DEFINITION ? print(node.type) : 'value'
    return `${variable} is not a valid ${type}`
  }
  if (message.startsWith('Syntax Error')) return message.replace(tokenWithValue, '$1')
  return node !== undefined && valueKinds.has(node.kind) ? message.replace(valueAtEnd, '') : message
}

const valueKinds: ReadonlySet<string> = new Set([
  Kind.BOOLEAN,
  Kind.ENUM,
  Kind.FLOAT,
  Kind.INT,
  Kind.LIST,
  Kind.NULL,
  Kind.OBJECT,
  Kind.OBJECT_FIELD,
  Kind.STRING,
])

/** Forms of GraphQL's messages that name an argument, each with its name. */
const argumentForms = [/^Variable "\$(\w+)"/, /argument "(?:[\w.]+\()?(\w+):?\)?"/i]

/** Forms of GraphQL's messages, and the rule of each as REST has it. */
const ruleForms: readonly (readonly [RegExp, ViolationRule])[] = [
  [/is required|of required type/, 'required'],
  [/^Unknown argument|^Cannot query field/, 'unrecognized'],
  [/cannot represent|is not a valid |Expected /, 'invalid_type'],
]

const ruleIn = (message: string): ViolationRule =>
  ruleForms.find(([form]) => form.test(message))?.[1] ?? 'invalid_query'

function violationOf(message: string): Violation {
  const named = argumentForms.map((form) => form.exec(message)?.[1]).find(Boolean)
  return { field: named ?? 'query', message: message.slice(0, 300), rule: ruleIn(message) }
}
