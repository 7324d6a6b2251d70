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

/**
 * Replaces "_" and a letter by the capital letter. Table names have no capitals, so two names never
 * become equal.
 */
const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/**
 * Returns the singular of an English plural, or `null`. `pluralOf` maps the singular back to the
 * name, and the singular is no plural itself. Therefore no two names have the same singular, and no
 * singular is another name's plural.
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

/** Words that end in "s" but are not plurals. */
const singularInS = /(?:ss|us|is|bias|alias|atlas|canvas|gas|lens|news|series|species)$/

const hissing =
  '(?:ss|sh|[^a]ch|[eo]ach|x|zz|(?:stat|bon|vir|camp|cens|foc|^b|_b)us|bias|alias|atlas|canvas|gas|lens)'
const longPlural = new RegExp(`${hissing}es$`)
const hissingEnd = new RegExp(`${hissing}$`)

function pluralOf(name: string): string {
  if (/[^aeiou_\d]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return hissingEnd.test(name) ? `${name}es` : `${name}s`
}
