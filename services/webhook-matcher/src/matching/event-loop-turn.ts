import { setImmediate as nextTurn } from 'node:timers/promises'

const longMs = 20

/**
 * The time that a batch takes of the event loop at a stretch. Matching waits for nothing: without
 * this, heartbeats and other partitions would wait for the whole batch.
 */
export class EventLoopTurn {
  #since = performance.now()

  async yieldWhenLong(): Promise<void> {
    if (performance.now() - this.#since < longMs) return
    await nextTurn()
    this.#since = performance.now()
  }
}
