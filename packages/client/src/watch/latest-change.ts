/** Lets one reader wait for a change. All changes until the reader's next turn count as one. */
export class LatestChange {
  #isDue = false
  #failure: { err: unknown } | undefined
  #wake = () => {}

  changed(): void {
    this.#isDue = true
    this.#wake()
  }

  /** The reader gets only the first failure. */
  failed(err: unknown): void {
    this.#failure ??= { err }
    this.#wake()
  }

  async next(): Promise<void> {
    while (!this.#isDue && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    // The changes of one chunk of the stream are applied before the next task.
    await new Promise((resolve) => setTimeout(resolve))
    if (this.#failure !== undefined) throw this.#failure.err
    this.#isDue = false
  }
}
