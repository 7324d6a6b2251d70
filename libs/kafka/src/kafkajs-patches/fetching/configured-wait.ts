type ConsumerGroup = { readonly maxWaitTime: number; readonly minBytes: number }

/** A fetch waits until it has `minBytes`, but at most `maxWaitTime` milliseconds. */
type Wait = { maxWaitTime: number; minBytes: number }

const waits = new WeakMap<ConsumerGroup, Wait>()

/** Returns the configured wait of this group's fetches. Patches call this before they change it. */
export function configuredWait(group: ConsumerGroup): Wait {
  const { maxWaitTime, minBytes } = group
  const wait = waits.get(group) ?? { maxWaitTime, minBytes }
  waits.set(group, wait)
  return wait
}
