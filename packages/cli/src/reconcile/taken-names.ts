import type { SubscriptionState } from '@surehook/contracts/events'

export type NamedRow = { id: string; project_id: string; environment: string; name: string | null }

/**
 * Finds the lost subscriptions whose name another subscription has since. Names are unique in an
 * environment, so these are restored without one. The other keeps it, because configuration files
 * have managed it since. Of two lost ones with the same name, the one that changed last keeps it.
 * @param rows all subscriptions of the table
 * @returns the names, by id
 */
export function takenNames(
  lost: ReadonlyMap<string, SubscriptionState | null>,
  rows: readonly NamedRow[],
): Map<string, string> {
  const owned = new Set(
    rows.flatMap(({ id, project_id, environment, name }) =>
      name === null || lost.has(id) ? [] : placeOf(project_id, environment, name),
    ),
  )
  const taken = new Map<string, string>()
  const newestFirst = [...lost.values()]
    .filter((state) => state !== null)
    .toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))
  for (const { id, projectId, environment, name } of newestFirst) {
    if (name === null) continue
    const place = placeOf(projectId, environment, name)
    if (owned.has(place)) taken.set(id, name)
    else owned.add(place)
  }
  return taken
}

const placeOf = (...names: [projectId: string, environment: string, name: string]): string =>
  JSON.stringify(names)
