/**
 * A batch stalls if Kafka took none of its deliveries for this long. A partition may be down, and
 * other batches need not wait for it.
 */
const stalledAfterMs = 1_000

/** Tracks the projects whose deliveries Kafka has not taken yet, and detects a stall. */
export class BatchProgress implements Disposable {
  /** The bytes of the deliveries that each project waits for. */
  readonly #waiting = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  #hasTaken = false

  /** @param onStalled called once if nothing was taken for a second */
  constructor(onStalled: () => void) {
    this.#timer = setTimeout(onStalled, stalledAfterMs)
  }

  /** True if some projects wait while deliveries of others were taken. */
  get isPartial(): boolean {
    return this.#hasTaken && this.#waiting.size > 0
  }

  /** The bytes of the deliveries that Kafka has not taken yet. */
  get bytes(): number {
    return this.#waiting.values().reduce((sum, bytes) => sum + bytes, 0)
  }

  sending(project: string, bytes: number): void {
    this.#waiting.set(project, bytes)
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
