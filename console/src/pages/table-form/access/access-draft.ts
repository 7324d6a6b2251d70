import { type Access, type Action, actions } from '../../../parts/data/access/access.ts'
import { jsonObjectIn } from '../../../parts/forms/json-object.ts'
import { toggled } from '../../../parts/forms/toggled.ts'

export const accessJson = (access: Access): string => JSON.stringify(access, null, 2)

/**
 * The access that a text holds, or null if the matrix cannot show it. An action that is left out
 * keeps its stored roles, which the text does not tell.
 */
export function accessIn(text: string): Access | null {
  const parsed = jsonObjectIn(text)
  if (!('value' in parsed)) return null
  const { value } = parsed
  const isWhole = actions.every((action) => areNames(value[action]))
  return isWhole && Object.keys(value).length === actions.length ? (value as Access) : null
}

const areNames = (roles: unknown): roles is string[] =>
  Array.isArray(roles) && roles.every((role) => typeof role === 'string')

export const withToggled = (access: Access, action: Action, role: string): Access => ({
  ...access,
  [action]: toggled(access[action], role),
})
