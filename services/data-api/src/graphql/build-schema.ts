import { GraphQLBoolean, GraphQLObjectType, GraphQLSchema } from 'graphql'
import type { TableDefinition } from '../table-definition.ts'
import { type GraphQLNames, graphqlNames } from './graphql-names.ts'
import { type TableFields, tableFields } from './table-fields.ts'
import { tableTypes } from './table-types.ts'

/** Builds the schema of an environment with these tables. */
export function buildSchema(tables: readonly TableDefinition[]): GraphQLSchema {
  const fields = tables.map((table) => {
    const names: GraphQLNames = graphqlNames(table.name)
    return tableFields(table, names, tableTypes(table, names))
  })
  const all = (kind: keyof TableFields) => Object.assign({}, ...fields.map((of) => of[kind]))
  const query = new GraphQLObjectType({
    name: 'Query',
    // GraphQL requires at least one field per type.
    fields: fields.length > 0 ? all('queries') : { _empty: { type: GraphQLBoolean } },
  })
  if (fields.length === 0) return new GraphQLSchema({ query })
  const mutation = new GraphQLObjectType({
    name: 'Mutation',
    description: 'Mutations run in order. If one fails, the others still take effect.',
    fields: all('mutations'),
  })
  return new GraphQLSchema({ query, mutation })
}
