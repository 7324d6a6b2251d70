import { isRounded, roundedFault } from '@surehook/contracts/json/exact-json'
import { invalid } from '@surehook/service-kit/errors'
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
 * Refuses variables with a number that the JSON parser rounded, except for `Float`. GraphQL copies
 * inputs, so that their values cannot be checked later.
 */
export function requireExact(
  document: DocumentNode,
  schema: GraphQLSchema,
  variables: Variables,
): void {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    for (const { variable, type } of definition.variableDefinitions ?? []) {
      const of = typeFromAST(schema, type)
      if (of === undefined || !isInputType(of)) continue
      requireExactAt({ holder: variables, key: variable.name.value, type: of }, ['variables'])
    }
  }
}

type Variable = { holder: object; key: string; type: GraphQLInputType }

function requireExactAt({ holder, key, type }: Variable, above: readonly string[]): void {
  const named = getNamedType(type)
  const path = [...above, key]
  const value: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined
  if (isRounded(holder, key) && named !== GraphQLFloat) {
    throw invalid([{ field: path.join('.'), message: roundedFault, rule: 'unfit_value' }])
  }
  if (typeof value !== 'object' || value === null) return
  const fields = isInputObjectType(named) && !Array.isArray(value) ? named.getFields() : undefined
  for (const name of Object.keys(value)) {
    const inner = fields === undefined ? type : fields[name]?.type
    if (inner !== undefined) requireExactAt({ holder: value, key: name, type: inner }, path)
  }
}
