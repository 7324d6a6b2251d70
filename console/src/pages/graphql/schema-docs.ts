import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'

export type InputDoc = { name: string; type: string; typeName: string; about: string }
export type FieldDoc = InputDoc & { inputs: readonly InputDoc[]; isDeprecated: boolean }
export type TypeDoc = {
  name: string
  kind: string
  about: string
  fields: readonly FieldDoc[]
  /** Values of an enum, or members of a union. */
  members: readonly { name: string; about: string; isType: boolean }[]
}

/** The types that operations begin at. */
export const rootsOf = (schema: GraphQLSchema): string[] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    type === null || type === undefined ? [] : [type.name],
  )

/** What the schema says about a type. */
export function typeDoc(schema: GraphQLSchema, name: string): TypeDoc | null {
  const type = schema.getType(name)
  if (type === undefined) return null
  return {
    name,
    kind: kindOf(type),
    about: type.description ?? '',
    fields: fieldsOf(type),
    members: membersOf(type),
  }
}

const kinds = [
  [isObjectType, 'object'],
  [isInputObjectType, 'input'],
  [isEnumType, 'enum'],
  [isInterfaceType, 'interface'],
  [isUnionType, 'union'],
] as const

const kindOf = (type: GraphQLNamedType): string => kinds.find(([is]) => is(type))?.[1] ?? 'scalar'

function fieldsOf(type: GraphQLNamedType): FieldDoc[] {
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((one) => ({
      ...inputOf(one),
      inputs: [],
      isDeprecated: one.deprecationReason != null,
    }))
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).map(fieldOf)
}

const fieldOf = (field: GraphQLField<unknown, unknown>): FieldDoc => ({
  ...inputOf(field),
  inputs: field.args.map(inputOf),
  isDeprecated: field.deprecationReason != null,
})

const inputOf = ({
  name,
  type,
  description,
}: GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>): InputDoc => ({
  name,
  type: String(type),
  typeName: getNamedType(type).name,
  about: description ?? '',
})

function membersOf(type: GraphQLNamedType): TypeDoc['members'] {
  if (isEnumType(type)) {
    return type
      .getValues()
      .map(({ name, description }) => ({ name, about: description ?? '', isType: false }))
  }
  if (!isUnionType(type)) return []
  return type.getTypes().map(({ name }) => ({ name, about: '', isType: true }))
}

export type SchemaMatch = { type: string; field: string | null }

/** More would not be read. */
const maxFound = 50

/** Types and fields whose name has the word. Those that begin with it come first. */
export function searchSchema(schema: GraphQLSchema, typed: string): SchemaMatch[] {
  const word = typed.trim().toLowerCase()
  if (word === '') return []
  const all = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type): SchemaMatch[] => [
      { type: type.name, field: null },
      ...fieldsOf(type).map(({ name }) => ({ type: type.name, field: name })),
    ])
  const startOf = ({ type, field }: SchemaMatch) => (field ?? type).toLowerCase().indexOf(word)
  return all
    .filter((one) => startOf(one) !== -1)
    .toSorted((a, b) => startOf(a) - startOf(b))
    .slice(0, maxFound)
}
