import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { GraphQLError, Kind, print } from 'graphql'
import { type AppError, invalid } from '../errors.ts'
import { problemOf, retryAfterOf, toAppError } from '../http/problem.ts'

/**
 * Converts the error to the form that REST uses: `extensions.code` and the fields of that code. A
 * refusal by GraphQL itself (syntax, types, limits) is a VALIDATION_ERROR.
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

/** Returns the error that a resolver threw, or `null` when GraphQL refused the request. */
function thrownBy(error: GraphQLError): unknown {
  const { originalError } = error
  if (originalError === undefined || originalError === null) return null
  return originalError instanceof GraphQLError ? thrownBy(originalError) : originalError
}

/** Patterns of GraphQL messages that repeat values of the request. */
const invalidVariable = /^(Variable "\$\w+") (?:has|got) invalid value/
const tokenWithValue = /((?:found|Unexpected) (?:String|BlockString|Int|Float|Name)) [^]*$/
const valueAtEnd = /(?: Found: |: |, found:? )[^]*$/

/**
 * GraphQL's message without values of the request: a password in the wrong field must not be
 * repeated.
 */
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

/** Patterns of GraphQL messages that name an argument. */
const argumentForms = [/^Variable "\$(\w+)"/, /argument "(?:[\w.]+\()?(\w+):?\)?"/i]

/** Forms of GraphQL's messages, and the rule of each as REST has it. */
const ruleForms: readonly (readonly [RegExp, ViolationRule])[] = [
  [/is required|of required type/, 'required'],
  [/^Unknown argument|^Cannot query field/, 'unrecognized'],
  [/cannot represent|is not a valid |Expected /, 'invalid_type'],
]

const ruleIn = (message: string): ViolationRule =>
  ruleForms.find(([form]) => form.test(message))?.[1] ?? 'invalid_query'

function violationOf(message: string): RuledViolation {
  const named = argumentForms.map((form) => form.exec(message)?.[1]).find(Boolean)
  return { field: named ?? 'query', message: message.slice(0, 300), rule: ruleIn(message) }
}
