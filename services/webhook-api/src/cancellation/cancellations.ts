import type { Cancellation } from '@surehook/contracts/events'

/**
 * The most cancellations of a subscription. They add up only if each request has an earlier `until`
 * than the one before, because a later `until` covers an earlier one.
 */
export const mostCancellations = 20

/**
 * Returns the cancellations with the new one, and without those that it covers. `null` if there are
 * too many.
 */
export function withCancellation(
  known: readonly Cancellation[],
  added: Cancellation,
): Cancellation[] | null {
  if (known.some((one) => covers(one, added))) return [...known]
  const kept = known.filter((one) => !covers(added, one))
  return kept.length < mostCancellations ? [...kept, added] : null
}

const covers = (wide: Cancellation, narrow: Cancellation) =>
  wide.status === narrow.status && wide.until >= narrow.until && wide.askedAt >= narrow.askedAt
