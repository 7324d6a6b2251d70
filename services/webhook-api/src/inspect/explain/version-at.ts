import type { Change } from '@surehook/matching/read-change'
import type { SubscriptionVersion } from '../../subscriptions/store/subscription-versions.ts'

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
  return oldest !== undefined && oldest.validFrom > createdAt ? 'unknown' : 'none'
}

function beganBefore(
  { position, validFrom }: SubscriptionVersion,
  { walPosition, event }: Pick<Change, 'event' | 'walPosition'>,
): boolean {
  const [systemId, , lsn] = walPosition?.split('/') ?? []
  if (position !== null && lsn !== undefined && position.systemId === systemId) {
    return position.lsn <= BigInt(`0x${lsn}`)
  }
  return validFrom.getTime() <= Date.parse(event.timestamp)
}
