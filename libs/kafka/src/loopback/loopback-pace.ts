/**
 * A process writes often if two batches follow each other within this time, and until this time after
 * the last one. In milliseconds.
 */
const oftenMs = 250
/** Milliseconds for which a reader fetches as usual after another process has written to its topics. */
const foreignMs = 1_000

/**
 * Decides whether a reader may fetch seldom, because this process itself writes what it reads.
 * Times are those of `performance.now()`.
 */
export class LoopbackPace {
  /** Offset after the last produced record, by partition. */
  readonly #ends = new Map<string, number>()
  /**
   * Ends of fetched records of unknown origin. This process may have produced them, and the broker's
   * acknowledgement is still to come.
   */
  readonly #unknown = new Map<string, { end: number; at: number }>()
  #producedAt = Number.NEGATIVE_INFINITY
  #oftenUntil = Number.NEGATIVE_INFINITY
  #foreignUntil = Number.NEGATIVE_INFINITY

  /** Notes that this process wrote the records from `first` to below `end`. */
  produced(partition: string, { first, end }: { first: number; end: number }, now: number): void {
    const before = this.#ends.get(partition)
    if (before !== undefined && first > before) this.#foreignUntil = now + foreignMs
    this.#ends.set(partition, end)
    if ((this.#unknown.get(partition)?.end ?? end) <= end) this.#unknown.delete(partition)
    if (now - this.#producedAt <= oftenMs) this.#oftenUntil = now + oftenMs
    this.#producedAt = now
  }

  /** Notes that a fetch returned records up to below `end`. */
  fetched(partition: string, end: number, now: number): void {
    if (end > (this.#ends.get(partition) ?? 0)) this.#unknown.set(partition, { end, at: now })
  }

  /** True while this process writes often, and no other one does. */
  isLoopback(now: number): boolean {
    for (const [partition, { at }] of this.#unknown) {
      if (now - at >= foreignMs) this.#unknown.delete(partition)
    }
    return now < this.#oftenUntil && now >= this.#foreignUntil && this.#unknown.size === 0
  }
}
