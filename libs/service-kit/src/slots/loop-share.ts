import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longer pauses of the event loop would show in the latency of everything else. */
const longMs = 5

/**
 * Limits how long one task blocks the event loop. Call `yieldWhenLong` after each piece of work that
 * does not wait by itself: sockets, timers and heartbeats would otherwise wait for all of it.
 */
export class LoopShare {
  #since = performance.now()

  async yieldWhenLong(): Promise<void> {
    if (performance.now() - this.#since < longMs) return
    await nextTurn()
    this.#since = performance.now()
  }
}
