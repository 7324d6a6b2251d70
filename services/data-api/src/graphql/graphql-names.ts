import { camelCase, capital, singularOf } from '@surehook/contracts/http/data/derived-names'

/** The names of a table in its environment's GraphQL schema. */
export type GraphQLNames = {
  /** The type of one record. */
  record: string
  page: string
  where: string
  newRecord: string
  changes: string
  list: string
  get: string
  create: string
  createMany: string
  update: string
  delete: string
}

/**
 * Derives the names from the table's own name alone, so that another table never changes them, and
 * no two tables share a name:
 *
 * - `order_items` becomes `orderItems`. No result has "_" before a lower-case letter, so a suffix
 *   that starts with `_` never collides with another table's name.
 * - A table with a plural name uses it for many records and its singular for one: `orders`,
 *   `order`.
 * - Any other name gets a suffix for both, because it may be the singular of another table:
 *   `sheep_list`, `sheep_one`.
 */
export function graphqlNames(table: string): GraphQLNames {
  const singular = singularOf(table)
  const many = singular === null ? `${camelCase(table)}_list` : camelCase(table)
  const one = singular === null ? `${camelCase(table)}_one` : camelCase(singular)
  const [ofMany, ofOne] = [capital(many), capital(one)]
  return {
    record: builtIn.has(ofOne) ? `${ofOne}_record` : ofOne,
    page: `${ofOne}_page`,
    where: `${ofOne}_where`,
    newRecord: `${ofOne}_new`,
    changes: `${ofOne}_changes`,
    list: many,
    get: one,
    create: `create${ofOne}`,
    createMany: `create${ofMany}`,
    update: `update${ofOne}`,
    delete: `delete${ofOne}`,
  }
}

/** Types of the schema that belong to no table. */
const builtIn: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Subscription'],
  ...['Boolean', 'Float', 'ID', 'Int', 'String'],
  ...['BigInt', 'Date', 'Decimal', 'JSON', 'Timestamp', 'UUID'],
])
