type ConsumerGroup = { readonly maxWaitTime: number }

const waits = new WeakMap<ConsumerGroup, number>()

/** How long a fetch of this group waits by its configuration. Patches ask before they change `maxWaitTime`. */
export function configuredWait(group: ConsumerGroup): number {
  const waitMs = waits.get(group) ?? group.maxWaitTime
  waits.set(group, waitMs)
  return waitMs
}
