/** A stall of the process uses up only one slice, however long it lasts. */
const slices = 10

/**
 * A time limit that runs only while the event loop does. After a stall (a stopped process, a frozen
 * container, a long garbage collection) timers fire before sockets are read. A wall-clock limit
 * would then end although the answer has arrived.
 */
export class TimeLimit implements Disposable {
  readonly #onOver: () => void
  readonly #timer: NodeJS.Timeout
  #last: NodeJS.Immediate | undefined
  #left = slices

  /** @param onOver called once, after the data in the sockets was read */
  constructor(ms: number, onOver: () => void) {
    this.#onOver = onOver
    this.#timer = setTimeout(() => this.#pass(), ms / slices)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#last)
  }

  #pass(): void {
    this.#left -= 1
    if (this.#left > 0) this.#timer.refresh()
    // The event loop reads its sockets between timers and immediates.
    else this.#last = setImmediate(this.#onOver)
  }
}
