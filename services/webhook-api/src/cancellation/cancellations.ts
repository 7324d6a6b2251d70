import type { Cancellation } from '@surehook/contracts/events'

/** More would come only from requests that each reach further back than the one before. */
export const mostCancellations = 20

/** With the new one, and without those that it covers. `null`: there are too many. */
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
