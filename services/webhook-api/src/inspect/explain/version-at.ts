import type { SubscriptionVersion } from '@surehook/contracts/events'
import { isBefore } from '@surehook/contracts/wal-position'
import type { Change } from '@surehook/matching/read-change'

/** `unknown`: the version is no longer stored. `none`: the subscription was created later. */
export type VersionAt = SubscriptionVersion | 'unknown' | 'none'

/**
 * Returns the version of a subscription that applied when a change was committed. Compares the WAL
 * positions if both are of one server, and times otherwise.
 * @param versions oldest first
 */
export function versionAt(
  versions: readonly SubscriptionVersion[],
  change: Pick<Change, 'event' | 'walPosition'>,
  createdAt: Date,
): VersionAt {
  const inForce = versions.findLast((version) => beganBefore(version, change))
  if (inForce !== undefined) return inForce
  const [oldest] = versions
  return oldest !== undefined && Date.parse(oldest.updatedAt) > createdAt.getTime()
    ? 'unknown'
    : 'none'
}

function beganBefore(
  version: SubscriptionVersion,
  { walPosition, event }: Pick<Change, 'event' | 'walPosition'>,
): boolean {
  const isLater = walPosition === null ? null : isBefore(walPosition, version.walPosition)
  return !(isLater ?? Date.parse(event.timestamp) < Date.parse(version.updatedAt))
}
