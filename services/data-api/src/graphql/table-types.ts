import type { ColumnType } from '@surehook/contracts/http/data/tables'
import {
  type GraphQLFieldConfigMap,
  GraphQLID,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import type { Column, TableDefinition } from '../table-definition.ts'
import type { GraphQLNames } from './graphql-names.ts'
import { scalars } from './scalars.ts'
import { whereType } from './where-types.ts'

export type TableTypes = {
  record: GraphQLObjectType
  page: GraphQLObjectType
  where: GraphQLInputObjectType
  newRecord: GraphQLInputObjectType
  changes: GraphQLInputObjectType
}

const assigned = [
  ['createdAt', 'timestamp'],
  ['updatedAt', 'timestamp'],
] as const

export function tableTypes(
  { name, columns }: Pick<TableDefinition, 'name' | 'columns'>,
  names: GraphQLNames,
): TableTypes {
  const record = new GraphQLObjectType({
    name: names.record,
    description: `A record of the table ${name}.`,
    fields: () => recordFields(columns),
  })
  const page = new GraphQLObjectType({
    name: names.page,
    fields: {
      records: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(record))) },
      nextCursor: { type: GraphQLString, description: 'null on the last page.' },
    },
  })
  const fields = columns.map((column) => [column.name, column.type] as const)
  return {
    record,
    page,
    where: whereType(names.where, [['id', 'uuid'], ...fields, ...assigned]),
    newRecord: inputType(names.newRecord, newRecordFields(columns)),
    changes: inputType(names.changes, changeFields(columns)),
  }
}

/**
 * Fields that a caller may be forbidden to read are nullable, because a write then returns the
 * record without them.
 */
function recordFields(columns: readonly Column[]): GraphQLFieldConfigMap<unknown, unknown> {
  return {
    id: { type: new GraphQLNonNull(GraphQLID) },
    ...Object.fromEntries(columns.map(({ name, type }) => [name, { type: scalars[type] }])),
    ...Object.fromEntries(
      assigned.map(([name, type]: readonly [string, ColumnType]) => [
        name,
        { type: new GraphQLNonNull(scalars[type]) },
      ]),
    ),
  }
}

function inputType(name: string, fields: GraphQLInputFieldConfigMap): GraphQLInputObjectType {
  // GraphQL requires at least one field. For a table without columns it is `id`, and a request that
  // sets it is refused.
  const some = Object.keys(fields).length > 0 ? fields : { id: { type: GraphQLID } }
  return new GraphQLInputObjectType({ name, fields: some })
}

/** Nullable in GraphQL: the REST rules report missing values, with the names of the fields. */
function newRecordFields(columns: readonly Column[]): GraphQLInputFieldConfigMap {
  return Object.fromEntries(
    columns.map(({ name, type, required, default: value }) => {
      const isDescribed = value !== null || required
      const description = value === null ? 'Required.' : `By default ${JSON.stringify(value)}.`
      return [name, { type: scalars[type], ...(isDescribed && { description }) }]
    }),
  )
}

const changeFields = (columns: readonly Column[]): GraphQLInputFieldConfigMap =>
  Object.fromEntries(columns.map(({ name, type }) => [name, { type: scalars[type] }]))
