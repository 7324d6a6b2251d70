// The form that PostgreSQL's `#>` accepts as an array index. Negative indexes count from the end.
const indexForm = /^[ \t\n\v\f\r]*[+-]?\d+$/

/** Returns the value at `path`, or `undefined` if there is none. Never throws. */
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
