type ConsumerGroup = { readonly maxWaitTime: number }

const waits = new WeakMap<ConsumerGroup, number>()

/**
 * Returns the configured wait of this group's fetches. Patches call this before they change
 * `maxWaitTime`.
 */
export function configuredWait(group: ConsumerGroup): number {
  const waitMs = waits.get(group) ?? group.maxWaitTime
  waits.set(group, waitMs)
  return waitMs
}
