import type { DeliveryAttempt } from '@surehook/contracts/events'
import type { FoldedDelivery } from '../write/fold-deliveries.ts'

/**
 * A row of the history remembers in bits which of its attempts are counted: the projection repeats its work after a
 * crash, and an attempt that was counted once is not counted again.
 */
const endBit = 30
/** All attempts from this number on share a bit. */
const lastAttemptBit = endBit - 1

/** All bits. */
export const countedBits = 2 ** (endBit + 1) - 1

/** The attempts of a delivery that its messages tell of, and its end if that had no attempt, as bits. */
export function countableOf(delivery: FoldedDelivery): number {
  let bits = 0
  for (const [bit] of countable(delivery)) bits |= 1 << bit
  return bits
}

/** Those of the bits; of an attempt that was made twice, the one that was told first. */
export function transitionsOf(delivery: FoldedDelivery, bits: number): DeliveryAttempt[] {
  let left = bits
  const found: DeliveryAttempt[] = []
  for (const [bit, transition] of countable(delivery)) {
    if ((left & (1 << bit)) === 0) continue
    left &= ~(1 << bit)
    found.push(transition)
  }
  return found
}

function* countable({
  attempts,
  last,
}: Pick<FoldedDelivery, 'attempts' | 'last'>): Generator<[bit: number, of: DeliveryAttempt]> {
  for (const attempt of attempts) {
    yield [Math.min(Math.max(attempt.attempts, 1), lastAttemptBit), attempt]
  }
  if (last !== null && !last.attempted && isEnd(last)) yield [endBit, last]
}

const isEnd = ({ status }: DeliveryAttempt) => status === 'cancelled' || status === 'dead_letter'
