import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  Kind,
  parse,
  print,
  TokenKind,
} from 'graphql'

/** The document, or `null` while its syntax is wrong. The editor marks the fault. */
function parsed(query: string): DocumentNode | null {
  try {
    return parse(query)
  } catch {
    // The user is still typing.
    return null
  }
}

/** The names of the operations in a document, in their order. Only these can be chosen. */
export const operationsIn = (query: string): string[] =>
  (parsed(query)?.definitions ?? []).flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION && one.name !== undefined ? [one.name.value] : [],
  )

/** The operation to run: the user's choice while the document has it, or else the first. */
export const chosenOf = (operation: string | null, operations: readonly string[]) =>
  operation !== null && operations.includes(operation) ? operation : operations[0]

/** The document with usual indentation. `null` if that would lose a comment or it has a fault. */
export function formatted(query: string): string | null {
  const document = parsed(query)
  return document === null || hasComments(document) ? null : print(document)
}

function hasComments({ loc }: DocumentNode): boolean {
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) {
    if (token.kind === TokenKind.COMMENT) return true
  }
  return false
}

const maxDepth = 3
const pageSize = 5

/** A query that the schema answers: its first list or, without one, its first field. */
export function firstQuery(schema: GraphQLSchema): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
  const free = fields.filter((field) => !needsArgument(field))
  const chosen = free.find(({ args }) => args.some(({ name }) => name === 'limit')) ?? free[0]
  return chosen === undefined ? '' : print(parse(`query First ${selectionOf(chosen, 1)}`))
}

const needsArgument = ({ args }: GraphQLField<unknown, unknown>): boolean =>
  args.some(isRequiredArgument)

/** The field with every field below it that needs no argument. */
function selectionOf(field: GraphQLField<unknown, unknown>, depth: number): string {
  const text = textOf(field, depth)
  return text === null ? '{ __typename }' : `{ ${text} }`
}

function textOf(field: GraphQLField<unknown, unknown>, depth: number): string | null {
  if (needsArgument(field)) return null
  const type = getNamedType(field.type)
  const hasLimit = depth === 1 && field.args.some(({ name }) => name === 'limit')
  const call = hasLimit ? `${field.name}(limit: ${pageSize})` : field.name
  if (!isObjectType(type)) return call
  if (depth === maxDepth) return null
  const inner = Object.values(type.getFields()).flatMap((one) => textOf(one, depth + 1) ?? [])
  return inner.length === 0 ? null : `${call} { ${inner.join(' ')} }`
}
