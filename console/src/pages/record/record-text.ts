import type { Violation } from '@surehook/client'
import { type JsonObject, jsonObjectIn } from '../../parts/forms/json-object.ts'

/** Fields that Surehook gives. Nobody writes them. */
const given = ['id', 'createdAt', 'updatedAt']

export const editableText = (record: JsonObject): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(record).filter(([name]) => !given.includes(name))),
    null,
    2,
  )

export function fieldsIn(text: string): { fields: JsonObject; violations: Violation[] } {
  const parsed = jsonObjectIn(text)
  if ('value' in parsed) return { fields: parsed.value, violations: [] }
  return { fields: {}, violations: [{ field: 'record', message: parsed.fault }] }
}

/** The fields that differ. A field that was deleted from the text becomes null. */
export function changedFields(before: JsonObject, after: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter(
    (name) => !given.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}
