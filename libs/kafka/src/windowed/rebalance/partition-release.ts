export type PartitionReleaseOptions = {
  /** Longest wait in milliseconds for messages in flight. */
  withinMs: number
  /** True if nothing of the partition is in flight and all finished messages are committed. */
  isDrained: (partition: number) => boolean
  /** During a join the group still believes that the partition is here. */
  isJoining: () => boolean
  onBegin: (partition: number) => void
  release: (partition: number) => void
}

const lookEveryMs = 20

/**
 * Drains partitions that the group wants to move. No new work starts, work in flight ends and is
 * committed, then the partition is released and the group must be joined again.
 */
export class PartitionRelease {
  readonly #options: PartitionReleaseOptions
  readonly #since = new Map<number, number>()
  #timer: NodeJS.Timeout | null = null
  #wantsToJoin = false

  constructor(options: PartitionReleaseOptions) {
    this.#options = options
  }

  /** True if the group must be joined again, to report the remaining partitions. */
  get wantsToJoin(): boolean {
    return this.#wantsToJoin
  }

  /** Notes that a join reports the remaining partitions. */
  claimed(): void {
    this.#wantsToJoin = false
  }

  /** Sets the partitions to release, replacing earlier ones. */
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

  /** Notes that partitions were lost before they could be drained, or that a join has failed. */
  mustJoin(): void {
    this.#wantsToJoin = true
  }

  stop(): void {
    this.#since.clear()
    this.#wantsToJoin = false
    this.#look()
  }

  #look(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (!this.#options.isJoining()) this.#releaseDrained()
    if (this.#since.size > 0) this.#timer = setTimeout(() => this.#look(), lookEveryMs)
  }

  #releaseDrained(): void {
    const { withinMs, isDrained, release } = this.#options
    for (const [partition, since] of this.#since) {
      if (!isDrained(partition) && performance.now() - since < withinMs) continue
      this.#since.delete(partition)
      release(partition)
      this.#wantsToJoin = true
    }
  }
}
