import { setImmediate as nextTurn } from 'node:timers/promises'

const longMs = 20

/**
 * Limits how long a batch blocks the event loop. Matching never waits by itself, so heartbeats and
 * other partitions would otherwise wait for the whole batch.
 */
export class EventLoopTurn {
  #since = performance.now()

  async yieldWhenLong(): Promise<void> {
    if (performance.now() - this.#since < longMs) return
    await nextTurn()
    this.#since = performance.now()
  }
}
