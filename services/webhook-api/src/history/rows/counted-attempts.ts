import type { DeliveryAttempt } from '@surehook/contracts/events'

/**
 * The bits of a history row tell which of its attempts are counted. The projection repeats work
 * after a crash, and the bits prevent counting an attempt twice.
 */
const endBit = 30
/** All attempts from this number on share a bit. */
const lastAttemptBit = endBit - 1

/** The mask of all bits. */
export const countedBits = 2 ** (endBit + 1) - 1

/**
 * Returns the bit of an attempt by its number, or the bit of an end without an attempt. 0 for
 * transitions that do not count.
 */
export function bitOf({ attempted, attempts, status }: DeliveryAttempt): number {
  if (attempted) return 1 << Math.min(Math.max(attempts, 1), lastAttemptBit)
  return status === 'cancelled' || status === 'dead_letter' ? 1 << endBit : 0
}

type AttemptsOfDelivery = { attempts: readonly DeliveryAttempt[]; last: DeliveryAttempt | null }

/** Returns the transitions of the bits. If an attempt appears twice, it returns the first. */
export function transitionsOf(
  { attempts, last }: AttemptsOfDelivery,
  bits: number,
): readonly DeliveryAttempt[] {
  // Most deliveries have one attempt.
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
