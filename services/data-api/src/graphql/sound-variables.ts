import { isRounded, roundedFault } from '@surehook/contracts/json/exact-json'
import { invalid } from '@surehook/service-kit/errors'
import { exceeds } from '@surehook/service-kit/graphql/query-limits'
import {
  type DocumentNode,
  GraphQLFloat,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
} from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/**
 * As many as one list may have records. GraphQL copies each with a step for every field of its type,
 * present or not.
 */
const maxObjects = 1_000

/**
 * Refuses variables with a number that the JSON parser rounded, except for `Float`, and with too many
 * objects. GraphQL copies inputs, so that their values cannot be checked later.
 */
export function requireSoundVariables(
  document: DocumentNode,
  schema: GraphQLSchema,
  variables: Variables,
): void {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    // Of each operation, because only one is executed.
    const walk: Walk = { objects: 0 }
    for (const { variable, type } of definition.variableDefinitions ?? []) {
      const of = typeFromAST(schema, type)
      if (of === undefined || !isInputType(of)) continue
      const one = { holder: variables, key: variable.name.value, type: of }
      requireSoundAt(one, ['variables'], walk)
    }
  }
}

type Walk = { objects: number }
type Variable = { holder: object; key: string; type: GraphQLInputType }

function requireSoundAt(
  { holder, key, type }: Variable,
  above: readonly string[],
  walk: Walk,
): void {
  const named = getNamedType(type)
  const path = [...above, key]
  const value: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined
  if (isRounded(holder, key) && named !== GraphQLFloat) {
    throw invalid([{ field: path.join('.'), message: roundedFault, rule: 'unfit_value' }])
  }
  if (typeof value !== 'object' || value === null) return
  for (const inner of innerOf(value, type, walk)) requireSoundAt(inner, path, walk)
}

function innerOf(value: object, type: GraphQLInputType, walk: Walk): Variable[] {
  const named = getNamedType(type)
  const names = Object.keys(value)
  if (!isInputObjectType(named) || Array.isArray(value)) {
    return names.map((key) => ({ holder: value, key, type }))
  }
  if (++walk.objects > maxObjects) {
    throw exceeds(`The variables have more than ${maxObjects} objects`)
  }
  const fields = named.getFields()
  return names.flatMap((key) => {
    const field = fields[key]
    return field === undefined ? [] : [{ holder: value, key, type: field.type }]
  })
}
