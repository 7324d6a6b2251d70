import type { Violation } from '@surehook/client'
import { type JsonObject, jsonObjectIn } from '../../forms/json-object.ts'
import { unfinishedIn } from './faults.ts'

/** A typed filter, and what keeps it from being sent. `null` for no text: there is no filter. */
export type TypedFilter = { filter: JsonObject | null; violations: Violation[] }

export function filterIn(text: string, root: 'filter' | 'where'): TypedFilter {
  if (text.trim() === '') return { filter: null, violations: [] }
  const parsed = jsonObjectIn(text)
  if ('value' in parsed) {
    return { filter: parsed.value, violations: unfinishedIn(parsed.value, root) }
  }
  return { filter: null, violations: [{ field: root, message: parsed.fault }] }
}
