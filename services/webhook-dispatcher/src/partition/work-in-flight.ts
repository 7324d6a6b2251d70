/** Attempts and moves that have begun and not ended. */
export class WorkInFlight {
  readonly #onFault: (err: unknown) => void
  #count = 0

  constructor(onFault: (err: unknown) => void) {
    this.#onFault = onFault
  }

  get count(): number {
    return this.#count
  }

  /** A failure here is a fault of ours: the job stays open. */
  track(work: Promise<void>): void {
    this.#count++
    work.catch(this.#onFault).finally(() => {
      this.#count--
    })
  }
}
