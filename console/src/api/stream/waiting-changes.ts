import type { ChangeEvent } from '@surehook/client'

/** More than this nobody reads. Older ones leave the page, so it never grows. */
export const kept = 200

/**
 * The changes since the last drawing. A hidden tab draws seldom, so it keeps only the last ones.
 */
export class WaitingChanges {
  #last: ChangeEvent[] = []
  #count = 0

  add(change: ChangeEvent): void {
    this.#count += 1
    this.#last.push(change)
    // Cutting at twice the size copies each change at most once.
    if (this.#last.length >= 2 * kept) this.#last = this.#last.slice(-kept)
  }

  /** Returns the last changes, newest first, and how many came in all. */
  take(): { changes: ChangeEvent[]; count: number } {
    const taken = { changes: this.#last.toReversed().slice(0, kept), count: this.#count }
    this.#last = []
    this.#count = 0
    return taken
  }
}
