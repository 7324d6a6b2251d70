import type { SourceGap } from '@surehook/contracts/http/sources'

/** What the platform stored of the slot when it last confirmed changes. */
export type StoredSlot = {
  systemId: string
  /** Of the WAL's history: a promotion begins a new one. */
  timeline: number
  /** Position up to which Kafka has acknowledged the changes. */
  acknowledged: bigint
}

/** The slot as the source has it now; `null`: there is none. */
export type FoundSlot = {
  systemId: string
  timeline: number
  slot: { confirmed: bigint; isLost: boolean } | null
}

/**
 * Compares the slot with what is stored, before it is read. A slot that is behind repeats changes,
 * with the same ids. A slot that is ahead skipped some, which must never pass silently.
 *
 * @param stored `null`: the slot was never read
 */
export function gapOf(stored: StoredSlot | null, found: FoundSlot): SourceGap['reason'] | null {
  const { slot } = found
  if (slot?.isLost === true) return 'slot_lost'
  if (stored === null) return null
  if (found.systemId !== stored.systemId) return 'other_cluster'
  if (slot === null) return 'slot_missing'
  // On another timeline too: positions after the promotion continue those before it.
  return slot.confirmed > stored.acknowledged ? 'slot_ahead' : null
}
