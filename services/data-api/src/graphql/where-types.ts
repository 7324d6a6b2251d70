import type { ColumnType } from '@surehook/contracts/http/data/tables'
import {
  GraphQLBoolean,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'
import { scalars } from './scalars.ts'

const sameness = ['eq', 'ne'] as const
const comparisons = ['gt', 'gte', 'lt', 'lte'] as const

function testsOf(type: ColumnType): GraphQLInputFieldConfigMap {
  const value = { type: scalars[type] }
  const list = { type: new GraphQLList(scalars[type]) }
  const all = (names: readonly string[], of: { type: GraphQLInputType }) =>
    Object.fromEntries(names.map((name) => [name, of]))
  return {
    ...all(sameness, value),
    ...(type === 'boolean' ? {} : all(comparisons, value)),
    ...all(['in', 'nin'], list),
    exists: { type: GraphQLBoolean },
    ...(type === 'text' ? all(['contains', 'startsWith'], value) : {}),
  }
}

const typeNames: Readonly<Record<Exclude<ColumnType, 'json'>, string>> = {
  text: 'Text_filter',
  integer: 'Integer_filter',
  bigint: 'Bigint_filter',
  double: 'Double_filter',
  decimal: 'Decimal_filter',
  boolean: 'Boolean_filter',
  timestamp: 'Timestamp_filter',
  date: 'Date_filter',
  uuid: 'Uuid_filter',
}

/** The filter input of each column type. json takes the filter language in JSON form. */
const filters = new Map<ColumnType, GraphQLInputType>([
  ...Object.entries(typeNames).map(([type, name]): [ColumnType, GraphQLInputType] => [
    type as ColumnType,
    new GraphQLInputObjectType({ name, fields: () => testsOf(type as ColumnType) }),
  ]),
  ['json', scalars.json],
])

const jsonDescription =
  'A value, tests of it ({"eq": …}, {"contains": …}), or tests of what is inside by their dotted ' +
  'path ({"a.b": …}).'

/** The type of the argument `where` for a table with these fields. */
export function whereType(
  name: string,
  fields: readonly (readonly [name: string, type: ColumnType])[],
): GraphQLInputObjectType {
  const where: GraphQLInputObjectType = new GraphQLInputObjectType({
    name,
    description: 'A record must match every field. null matches an empty field.',
    fields: () => {
      const several = { type: new GraphQLList(new GraphQLNonNull(where)) }
      const tests = fields.map(([field, type]) => [
        field,
        { type: filters.get(type), ...(type === 'json' && { description: jsonDescription }) },
      ])
      return { ...Object.fromEntries(tests), and: several, or: several, not: { type: where } }
    },
  })
  return where
}
