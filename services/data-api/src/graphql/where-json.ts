import { isOperator } from '@surehook/contracts/filter/parse-filter'

type Where = Readonly<Record<string, unknown>>

/**
 * Converts a typed `where` to the filter language, in which conditions inside a json column use its
 * dotted path.
 */
export function whereJson(where: Where, jsonColumns: ReadonlySet<string>): Where {
  const within = (value: unknown) => whereJson((value ?? {}) as Where, jsonColumns)
  return Object.fromEntries(
    Object.entries(where).flatMap(([field, value]): [string, unknown][] => {
      if (field === 'not') return [[field, value === null ? null : within(value)]]
      if (field === 'and' || field === 'or') {
        return [[field, Array.isArray(value) ? value.map(within) : value]]
      }
      return jsonColumns.has(field) ? jsonTests(field, value) : [[field, value]]
    }),
  )
}

function jsonTests(column: string, value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[column, value]]
  const entries = Object.entries(value)
  const tests = entries.filter(([name]) => isOperator(name))
  const inside = entries.filter(([name]) => !isOperator(name))
  return [
    ...(tests.length > 0 || inside.length === 0
      ? [[column, Object.fromEntries(tests)] satisfies [string, unknown]]
      : []),
    ...inside.map(([path, test]): [string, unknown] => [`${column}.${path}`, test]),
  ]
}
