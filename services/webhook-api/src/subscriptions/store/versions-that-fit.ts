import type { SubscriptionVersion } from '@surehook/contracts/events'

const mostBytes = 1_048_576

/**
 * Returns the newest versions that fit into a state with the rest of it: a Kafka record has at most
 * 2 MiB, and one version may have a selection of 190 KB.
 * @param versions oldest first
 */
export function versionsThatFit(versions: readonly SubscriptionVersion[]): SubscriptionVersion[] {
  let bytes = 0
  const first = versions.findLastIndex((version) => {
    bytes += Buffer.byteLength(JSON.stringify(version))
    return bytes > mostBytes
  })
  return versions.slice(first + 1)
}
