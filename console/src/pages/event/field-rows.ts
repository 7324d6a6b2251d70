export type Fields = Record<string, unknown>

export type FieldRow = {
  name: string
  isChanged: boolean
  /** JSON of the value, or `undefined` without one. */
  before: string | undefined
  after: string | undefined
}

/**
 * The fields of a record, those that the change set first.
 * @param before the record before the change, if the log has it
 */
export function fieldRows(
  record: Fields,
  changedFields: readonly string[],
  before: Fields | null,
): FieldRow[] {
  const names = new Set([...changedFields, ...Object.keys(record)])
  return [...names].map((name) => {
    const isChanged = changedFields.includes(name)
    const old = isChanged && before !== null ? textOf(before, name) : undefined
    return { name, isChanged, before: old, after: textOf(record, name) }
  })
}

const textOf = (fields: Fields, name: string): string | undefined =>
  Object.hasOwn(fields, name) ? JSON.stringify(fields[name]) : undefined
