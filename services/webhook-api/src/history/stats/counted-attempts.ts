import type { DeliveryAttempt } from '@surehook/contracts/events'

/**
 * A row of the history remembers in bits which of its attempts are counted: the projection repeats its work after a
 * crash, and an attempt that was counted once is not counted again.
 */
const endBit = 30
/** All attempts from this number on share a bit. */
const lastAttemptBit = endBit - 1

/** All bits. */
export const countedBits = 2 ** (endBit + 1) - 1

/** That of an attempt by its number, or of an end without an attempt; 0 for what is not counted. */
export function bitOf({ attempted, attempts, status }: DeliveryAttempt): number {
  if (attempted) return 1 << Math.min(Math.max(attempts, 1), lastAttemptBit)
  return status === 'cancelled' || status === 'dead_letter' ? 1 << endBit : 0
}

type Counted = { attempts: readonly DeliveryAttempt[]; last: DeliveryAttempt | null }

/** Those of the bits; of an attempt that was made twice, the one that was told first. */
export function transitionsOf(
  { attempts, last }: Counted,
  bits: number,
): readonly DeliveryAttempt[] {
  // As most are.
  if (attempts.length === 1 && last === attempts[0]) return attempts
  let left = bits
  const isAsked = (transition: DeliveryAttempt) => {
    const bit = bitOf(transition)
    if ((left & bit) === 0) return false
    left &= ~bit
    return true
  }
  const found = attempts.filter(isAsked)
  return last !== null && !last.attempted && isAsked(last) ? [...found, last] : found
}
