import type { OwnerName } from '@surehook/service-kit/slots/fair-slots'
import type { LoopTurns } from '@surehook/service-kit/slots/loop-turns'

/** A turn reads no further entry after this time. One large entry takes as long again. */
const turnMs = 3
/** So few entries need no turn: most changes arrive one by one. */
const fewEntries = 8

/**
 * Resolves when the stream or page may read entries.
 * @param entries how many there are
 */
export type NextTurn = (entries: number, signal: AbortSignal) => Promise<void>

/** Streams that read many changes take turns on the event loop, by owner. */
export const nextTurnOf =
  (turns: LoopTurns, owner: OwnerName): NextTurn =>
  async (entries, signal) => {
    if (entries > fewEntries) await turns.next(owner, signal)
  }

/** Returns whether the turn that begins now is over. */
export function turnEnd(): () => boolean {
  const until = performance.now() + turnMs
  return () => performance.now() > until
}
