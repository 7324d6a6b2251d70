import type { SubscriptionState } from '@surehook/contracts/events'

export type KeyedRow = { id: string; project_id: string; environment: string; key: string | null }

/**
 * Finds the lost subscriptions whose key another subscription has since. Keys are unique in an
 * environment, so these are restored without one. The other keeps it, because configuration files
 * have managed it since. Of two lost ones with the same key, the one that changed last keeps it.
 * @param rows all subscriptions of the table
 * @returns the keys, by id
 */
export function takenKeys(
  lost: ReadonlyMap<string, SubscriptionState | null>,
  rows: readonly KeyedRow[],
): Map<string, string> {
  const owned = new Set(
    rows.flatMap(({ id, project_id, environment, key }) =>
      key === null || lost.has(id) ? [] : placeOf(project_id, environment, key),
    ),
  )
  const taken = new Map<string, string>()
  const newestFirst = [...lost.values()]
    .filter((state) => state !== null)
    .toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))
  for (const { id, projectId, environment, key } of newestFirst) {
    if (key === null) continue
    const place = placeOf(projectId, environment, key)
    if (owned.has(place)) taken.set(id, key)
    else owned.add(place)
  }
  return taken
}

const placeOf = (...names: [projectId: string, environment: string, key: string]): string =>
  JSON.stringify(names)
