import type { LogEnds } from '../offsets/log-ends.ts'

/**
 * The number of partitions of a consumer's first topic, which may grow. Call `refresh` whenever the
 * group was joined, and before a partition is opened: its owner must know every number that the
 * partition's earlier owner acted upon.
 */
export class PartitionCount {
  readonly #ends: Pick<LogEnds, 'countPartitions'>
  readonly #onAdded: () => void
  #partitions = 0

  constructor(ends: Pick<LogEnds, 'countPartitions'>, onAdded: () => void) {
    this.#ends = ends
    this.#onAdded = onAdded
  }

  /** 0 before the first refresh. */
  get partitions(): number {
    return this.#partitions
  }

  /** Rejects when no broker answers. */
  async refresh(): Promise<void> {
    const partitions = await this.#ends.countPartitions()
    // A broker that is behind the others may still tell an earlier number.
    if (partitions <= this.#partitions) return
    this.#partitions = partitions
    this.#onAdded()
  }
}
