import type { DeliveryAttempt } from '@surehook/contracts/events'

/** What several moves of one delivery come to; mirrors what the store's upsert does across batches. */
export type FoldedMove = {
  /** Decides the status. */
  last: DeliveryAttempt
  /** Decides what is told of the last attempt; absent when none of the moves says anything of one. */
  lastAttempt: DeliveryAttempt | undefined
}

/** One entry per delivery, sorted by id so that two writers lock rows in one order. */
export function foldMoves(moves: readonly DeliveryAttempt[]): FoldedMove[] {
  const byDelivery = new Map<string, FoldedMove>()
  for (const move of moves) {
    const folded = byDelivery.get(move.deliveryId)
    byDelivery.set(move.deliveryId, {
      last: newest(folded?.last, move),
      lastAttempt: tellsResult(move) ? newest(folded?.lastAttempt, move) : folded?.lastAttempt,
    })
  }
  return [...byDelivery].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folded]) => folded)
}

// A delivery that can never be sent has an error without an attempt.
const tellsResult = (move: DeliveryAttempt) => move.attempted || move.errorClass !== null

// A step is repeated when a process died in the middle of it: the later try is what went on.
function newest(known: DeliveryAttempt | undefined, move: DeliveryAttempt): DeliveryAttempt {
  if (known === undefined || move.step > known.step) return move
  return move.step === known.step && move.at > known.at ? move : known
}
