import type { Wishes } from '../file/wishes.ts'
import { emptyPart, type Part } from './part.ts'
import type { State } from './steps.ts'

/** The API creates roles, and neither changes nor deletes them. */
export function planRoles({ roles }: Wishes, state: State): Part {
  const part = emptyPart()
  if (roles === undefined) return part
  const existing = new Map(state.roles?.map((role) => [role.name, role]))
  for (const [name, { selfAssignable }] of Object.entries(roles)) {
    const role = existing.get(name)
    if (role === undefined) {
      const changes = selfAssignable
        ? [{ field: 'selfAssignable', before: null, after: selfAssignable }]
        : []
      part.steps.push({
        kind: 'role',
        action: 'create',
        name,
        changes,
        input: { name, selfAssignable },
      })
    } else if (role.selfAssignable !== selfAssignable) {
      part.refusals.push(
        `role ${name}: selfAssignable is ${role.selfAssignable}, and no role can be changed`,
      )
    }
  }
  for (const name of existing.keys()) {
    if (!Object.hasOwn(roles, name)) part.left.push(`role ${name} (no role can be deleted)`)
  }
  return part
}
