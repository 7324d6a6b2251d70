import {
  type Access,
  type Action,
  actions,
  type Entry,
  grantOf,
  isLimited,
  roleOf,
} from '../../../parts/data/access/access.ts'
import { isJsonObject, jsonObjectIn } from '../../../parts/forms/json-object.ts'

export const accessJson = (access: Access): string => JSON.stringify(access, null, 2)

/**
 * The access that a text holds, or null if the matrix cannot show it. An action that is left out
 * keeps its stored roles, which the text does not tell.
 */
export function accessIn(text: string): Access | null {
  const parsed = jsonObjectIn(text)
  if (!('value' in parsed)) return null
  const { value } = parsed
  const isWhole = actions.every((action) => areEntries(value[action]))
  return isWhole && Object.keys(value).length === actions.length ? (value as Access) : null
}

const areEntries = (entries: unknown): entries is Entry[] =>
  Array.isArray(entries) && entries.every((entry) => typeof entry === 'string' || isShown(entry))

/** True if the form shows every field of the rule. */
const isShown = (rule: unknown): boolean =>
  isJsonObject(rule) &&
  typeof rule['role'] === 'string' &&
  Object.entries(rule).every(([field, value]) => fits[field]?.(value) === true)

const areNames = (names: unknown): boolean =>
  Array.isArray(names) && names.every((name) => typeof name === 'string')

const fits: Partial<Record<string, (value: unknown) => boolean>> = {
  role: (role) => typeof role === 'string',
  where: isJsonObject,
  columns: areNames,
  set: isJsonObject,
}

/** Gives the role the whole action, or takes it away. Rules stay. */
export function withToggled(access: Access, action: Action, role: string): Access {
  const entries = access[action]
  const isGranted = grantOf(entries, role) === 'yes'
  const rest = entries.filter((entry) => isLimited(entry) || roleOf(entry) !== role)
  return { ...access, [action]: isGranted ? rest : [...entries, role] }
}
