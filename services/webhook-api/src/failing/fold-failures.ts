import type { DeliveryAttempt } from '@surehook/contracts/events'

/**
 * The successes and failures of one subscription in a batch of transitions. Times in epoch
 * milliseconds.
 */
export type Health = {
  subscriptionId: string
  succeededAt: number | null
  /** The first and last failure after that success, if any. */
  failed: { since: number; at: number } | null
}

type Attempts = { successes: number[]; failures: number[] }

/** Returns one entry per subscription with an attempt, sorted by id. */
export function foldFailures(transitions: readonly DeliveryAttempt[]): Health[] {
  const bySubscription = new Map<string, Attempts>()
  for (const { subscriptionId, attempted, status, at } of transitions) {
    if (!attempted) continue
    const known = bySubscription.get(subscriptionId) ?? { successes: [], failures: [] }
    bySubscription.set(subscriptionId, known)
    if (status === 'delivered') known.successes.push(at)
    else known.failures.push(at)
  }
  return [...bySubscription]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([subscriptionId, attempts]) => ({ subscriptionId, ...healthOf(attempts) }))
}

function healthOf({ successes, failures }: Attempts): Omit<Health, 'subscriptionId'> {
  const succeededAt = successes.length === 0 ? null : Math.max(...successes)
  const after = failures.filter((at) => succeededAt === null || at > succeededAt)
  const failed = after.length === 0 ? null : { since: Math.min(...after), at: Math.max(...after) }
  return { succeededAt, failed }
}
