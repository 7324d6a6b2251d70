/** Nothing of a batch was taken for so long: its topic's partition may be away, which others need not wait for. */
const stalledAfterMs = 1_000

/** Knows the projects whose deliveries Kafka has not taken yet, and notices when Kafka takes no more. */
export class BatchProgress implements Disposable {
  readonly #waiting = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #hasTaken = false

  /** @param onStalled called once, when nothing was taken for a second */
  constructor(onStalled: () => void) {
    this.#timer = setTimeout(onStalled, stalledAfterMs)
  }

  /** Whether some projects wait while the deliveries of others were taken. */
  get isPartial(): boolean {
    return this.#hasTaken && this.#waiting.size > 0
  }

  sending(project: string): void {
    this.#waiting.add(project)
  }

  taken(project: string): void {
    this.#waiting.delete(project)
    this.#hasTaken = true
    this.#timer.refresh()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
