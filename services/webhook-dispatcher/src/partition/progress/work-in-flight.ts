/** Counts attempts and transitions in progress. */
export class WorkInFlight {
  readonly #onFault: (err: unknown) => void
  #count = 0

  constructor(onFault: (err: unknown) => void) {
    this.#onFault = onFault
  }

  get count(): number {
    return this.#count
  }

  /** A rejection is a fault of the dispatcher itself: the job stays open. */
  track(work: Promise<void>): void {
    this.#count++
    work.catch(this.#onFault).finally(() => {
      this.#count--
    })
  }
}
