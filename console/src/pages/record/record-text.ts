import type { Table, Violation } from '@surehook/client'

type Fields = Record<string, unknown>

/** Fields that Surehook gives. Nobody writes them. */
const given = ['id', 'createdAt', 'updatedAt']

export const editableText = (record: Fields): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(record).filter(([name]) => !given.includes(name))),
    null,
    2,
  )

/** A first text for a new record: each column that needs a value, with one to replace. */
export const newRecordText = ({ columns }: Table): string =>
  JSON.stringify(
    Object.fromEntries(
      columns
        .filter((column) => column.required && column.default === null)
        .map(({ name, type }) => [name, examples[type]]),
    ),
    null,
    2,
  )

const examples: Readonly<Record<Table['columns'][number]['type'], unknown>> = {
  text: '',
  integer: 0,
  bigint: '0',
  double: 0,
  decimal: '0',
  boolean: false,
  timestamp: '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  uuid: '00000000-0000-0000-0000-000000000000',
  json: {},
}

export function fieldsIn(text: string): { fields: Fields; violations: Violation[] } {
  const wrong = (message: string) => ({ fields: {}, violations: [{ field: 'record', message }] })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return wrong('must be a JSON object')
    }
    return { fields: value as Fields, violations: [] }
  } catch (err) {
    return wrong(`is not JSON: ${err instanceof Error ? err.message : String(err)}`)
  }
}

/** The fields that differ. A field that was deleted from the text becomes null. */
export function changedFields(before: Fields, after: Fields): Fields {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter(
    (name) => !given.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}
