export type LettingGoOptions = {
  /** A partition waits so long at most for what is in flight. */
  withinMs: number
  /** Nothing of it is in flight, and everything finished is committed. */
  isDrained: (partition: number) => boolean
  /** While a join is under way the group believes that the partition is still here. */
  isJoining: () => boolean
  onBegin: (partition: number) => void
  letGo: (partition: number) => void
}

const lookEveryMs = 20

/**
 * Partitions that the group wants to give to others: nothing of them starts, what is in flight ends and
 * is committed, then they are let go, and the group is to be joined again.
 */
export class PartitionRelease {
  readonly #options: LettingGoOptions
  readonly #since = new Map<number, number>()
  #timer: NodeJS.Timeout | null = null
  #hasLetGo = false

  constructor(options: LettingGoOptions) {
    this.#options = options
  }

  /** The next join has to name what was let go. */
  get hasLetGo(): boolean {
    return this.#hasLetGo
  }

  /** A join names what is left. */
  claimed(): void {
    this.#hasLetGo = false
  }

  /** All that it wants of those that are here. */
  want(partitions: readonly number[]): void {
    for (const partition of this.#since.keys()) {
      if (!partitions.includes(partition)) this.#since.delete(partition)
    }
    for (const partition of partitions) {
      if (this.#since.has(partition)) continue
      this.#since.set(partition, performance.now())
      this.#options.onBegin(partition)
    }
    this.#look()
  }

  /** Some were lost before they could be drained. */
  lost(): void {
    this.#hasLetGo = true
  }

  stop(): void {
    this.#since.clear()
    this.#hasLetGo = false
    this.#look()
  }

  #look(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (!this.#options.isJoining()) this.#letGoDrained()
    if (this.#since.size > 0) this.#timer = setTimeout(() => this.#look(), lookEveryMs)
  }

  #letGoDrained(): void {
    const { withinMs, isDrained, letGo } = this.#options
    for (const [partition, since] of this.#since) {
      if (!isDrained(partition) && performance.now() - since < withinMs) continue
      this.#since.delete(partition)
      letGo(partition)
      this.#hasLetGo = true
    }
  }
}
