// As PostgreSQL's `#>` reads the index of an array: from the end when negative.
const indexForm = /^[ \t\n\v\f\r]*[+-]?\d+$/

/** The value at `path`; `undefined` when there is none. Never throws, whatever the record holds. */
export function fieldValue(record: unknown, path: readonly string[]): unknown {
  let value = record
  for (const name of path) {
    if (Array.isArray(value)) value = indexForm.test(name) ? value.at(Number(name)) : undefined
    else if (isObject(value) && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
