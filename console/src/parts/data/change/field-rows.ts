export type Fields = Record<string, unknown>

export type FieldRow = {
  name: string
  /** The change names the field. Assigned fields such as `updatedAt` are never named. */
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
    const old = before === null ? undefined : textOf(before, name)
    return {
      name,
      isChanged: changedFields.includes(name),
      before: old,
      after: textOf(record, name),
    }
  })
}

const textOf = (fields: Fields, name: string): string | undefined =>
  Object.hasOwn(fields, name) ? JSON.stringify(fields[name]) : undefined

/** JSON as people read it: a text without its quotes, unless it is empty or only spaces. */
export function readableValue(json: string): string {
  if (!json.startsWith('"')) return json
  const text = JSON.parse(json) as string
  return text.trim() === '' ? json : text
}
