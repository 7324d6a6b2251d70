/** What a table is called in its environment's GraphQL schema. */
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
 * The names follow from the table's own name alone, so that another table never changes them, and no two
 * tables share any of them:
 * - `order_items` is written `orderItems`. No result has "_" before a small letter: what is added with `_`
 *   is never another table's name.
 * - A table whose name is a plural has that for many and its singular for one: `orders`, `order`.
 * - Any other has both marked, for its name may be some table's singular: `sheep_list`, `sheep_one`.
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

/** A capital letter stands for "_" and that letter: two names never come out alike. */
const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/**
 * The singular of a name that is a plural by English rules, else `null`. Whatever it is taken for, `pluralOf` leads
 * back from it and it is no plural itself: no two names have one singular, and none is another's plural.
 */
export function singularOf(name: string): string | null {
  const singular = candidateOf(name)
  if (singular === null || pluralOf(singular) !== name) return null
  return singularOf(singular) === null ? singular : null
}

function candidateOf(name: string): string | null {
  if (!name.endsWith('s') || singularInS.test(name)) return null
  if (/[^aeiou_\d]ies$/.test(name)) return `${name.slice(0, -3)}y`
  if (longPlural.test(name)) return name.slice(0, -2)
  const singular = name.slice(0, -1)
  return /[a-z]$/.test(singular) ? singular : null
}

/** Ends in "s" without being a plural. */
const singularInS = /(?:ss|us|is|bias|alias|atlas|canvas|gas|lens|news|series|species)$/

const hissing =
  '(?:ss|sh|[^a]ch|[eo]ach|x|zz|(?:stat|bon|vir|camp|cens|foc|^b|_b)us|bias|alias|atlas|canvas|gas|lens)'
const longPlural = new RegExp(`${hissing}es$`)
const hissingEnd = new RegExp(`${hissing}$`)

function pluralOf(name: string): string {
  if (/[^aeiou_\d]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return hissingEnd.test(name) ? `${name}es` : `${name}s`
}
