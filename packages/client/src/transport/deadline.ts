/** A signal that aborts with the caller's, or after a time without `touch`. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #onAbort: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLate = false

  constructor(caller?: AbortSignal) {
    this.#caller = caller
    this.#onAbort = () => this.#controller.abort(caller?.reason)
    if (caller?.aborted) this.#onAbort()
    caller?.addEventListener('abort', this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the time ran out. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Starts the time again. */
  start(ms: number): void {
    this.pause()
    this.#timer = setTimeout(() => {
      this.#isLate = true
      this.#controller.abort()
    }, ms)
  }

  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Ends the request too, if it still runs. */
  close(): void {
    this.pause()
    this.#caller?.removeEventListener('abort', this.#onAbort)
    this.#controller.abort()
  }
}
