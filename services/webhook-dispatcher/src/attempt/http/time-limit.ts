/** A stall of the process uses up one of them, however long it is. */
const slices = 10

/**
 * A time limit that passes only while the event loop runs. After a stall (a stopped process, a frozen
 * container, a long collection) timers fire before sockets are read: a limit by the clock would be
 * over although the answer is here.
 */
export class TimeLimit implements Disposable {
  readonly #onOver: () => void
  readonly #timer: NodeJS.Timeout
  #last: NodeJS.Immediate | undefined
  #left = slices

  /** @param onOver called once, after what the sockets hold has been read */
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
    // The loop reads from its sockets between timers and immediates.
    else this.#last = setImmediate(this.#onOver)
  }
}
