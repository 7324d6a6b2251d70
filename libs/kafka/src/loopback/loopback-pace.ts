/** Two batches within this time are a stream, in milliseconds. It lasts as long after the last. */
const streamMs = 250
/** Milliseconds for which a reader fetches as usual after another process wrote to its topics. */
const foreignMs = 1_000

/**
 * Decides whether a reader may fetch seldom, because this process itself writes what it reads.
 * Times are those of `performance.now()`.
 */
export class LoopbackPace {
  /** Offset after the last produced record, by partition. */
  readonly #ends = new Map<string, number>()
  /** Fetched records that this process may have produced: until its broker says so. */
  readonly #unknown = new Map<string, { end: number; at: number }>()
  #producedAt = Number.NEGATIVE_INFINITY
  #streamUntil = Number.NEGATIVE_INFINITY
  #foreignUntil = Number.NEGATIVE_INFINITY

  /** Notes that this process wrote the records from `first` to below `end`. */
  produced(partition: string, { first, end }: { first: number; end: number }, now: number): void {
    const before = this.#ends.get(partition)
    if (before !== undefined && first > before) this.#foreignUntil = now + foreignMs
    this.#ends.set(partition, end)
    if ((this.#unknown.get(partition)?.end ?? end) <= end) this.#unknown.delete(partition)
    if (now - this.#producedAt <= streamMs) this.#streamUntil = now + streamMs
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
    return now < this.#streamUntil && now >= this.#foreignUntil && this.#unknown.size === 0
  }
}
