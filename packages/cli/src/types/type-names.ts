import { camelCase, capital, singularOf } from '@surehook/contracts/http/data/derived-names'

/** The names of the types of one table. */
export type TypeNames = { record: string; new: string; changes: string; event: string }

/** Names that the file uses itself: a type of a table must not hide them. */
const taken = ['Json', 'Partial', 'Pick', 'Tables']

/**
 * Names the types of each table by its singular: `order_items` gets `OrderItem`, `NewOrderItem`,
 * `OrderItemChanges` and `OrderItemEvent`. A name that another type has gets `_`. Records come
 * first: a table `new_orders` does not rename the records of `orders`.
 */
export function typeNames(tables: readonly string[]): ReadonlyMap<string, TypeNames> {
  const used = new Set(taken)
  const free = (name: string): string => {
    if (used.has(name)) return free(`${name}_`)
    used.add(name)
    return name
  }
  const records = tables
    .toSorted()
    .map((table) => ({ table, record: free(capital(camelCase(singularOf(table) ?? table))) }))
  return new Map(
    records.map(({ table, record }) => [
      table,
      {
        record,
        new: free(`New${record}`),
        changes: free(`${record}Changes`),
        event: free(`${record}Event`),
      },
    ]),
  )
}
