import type { Change } from '@surehook/matching/read-change'
import type { SubscriptionVersion } from '../../subscriptions/subscription-versions.ts'

/** `unknown`: there was a version, which is no longer kept; `none`: the subscription was made later. */
export type VersionAt = SubscriptionVersion | 'unknown' | 'none'

/**
 * The version of a subscription that was in force when a change was committed: by their places in one
 * WAL, and by the clock where they have no common one.
 * @param versions the oldest first
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
