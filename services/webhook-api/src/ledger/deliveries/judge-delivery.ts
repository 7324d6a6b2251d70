import type { HoleReason } from '@surehook/contracts/http/webhooks/ledger'
import type { DeliveryFacts, End } from './delivery-table.ts'

export type LedgerState = 'delivered' | 'dead' | 'pending' | 'retrying' | 'paused' | 'cancelled'

/** The category of a delivery; `null` if it belongs to another span. */
export type Verdict =
  | { kind: 'place'; place: LedgerState }
  | { kind: 'hole'; reason: HoleReason }
  | { kind: 'awaiting' }
  | { kind: 'unverified' }
  | null

/** Decides where a delivery is, or that it is lost. */
export function judgeDelivery(facts: DeliveryFacts): Verdict {
  switch (facts.kind) {
    case 'foreign':
      return null
    case 'unverified':
      return { kind: 'unverified' }
    case 'unexplained':
      return { kind: 'hole', reason: 'unexpected' }
    case 'matched':
    case 'asked':
      return judgeMade(facts)
  }
}

function judgeMade(facts: DeliveryFacts): Verdict {
  if (!facts.wasMade) {
    if (facts.isUncertain) return { kind: 'unverified' }
    return facts.isDue ? { kind: 'hole', reason: 'never_matched' } : { kind: 'awaiting' }
  }
  const place = placeOf(facts)
  return place === null ? { kind: 'hole', reason: 'lost' } : { kind: 'place', place }
}

const places: Record<End, LedgerState> = {
  delivered: 'delivered',
  dead_letter: 'dead',
  cancelled: 'cancelled',
}

function placeOf({ end, endSuperseded, open, hasLetter }: DeliveryFacts): LedgerState | null {
  // Transition and dead letter are sent together, so the job keeps its old place until both are
  // read.
  if (end === 'dead_letter' && !hasLetter) return open
  if (end !== null && !endSuperseded) return places[end]
  if (open !== null) return open
  if (hasLetter) return 'dead'
  return end === null ? null : places[end]
}
