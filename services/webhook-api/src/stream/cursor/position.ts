/** Larger than any offset. */
const byTime = 2 ** 50

/**
 * Stands for the offset of the first record at or after a time, as long as the partition has no
 * leader that could tell it.
 */
export const offsetByTime = (timeMs: number): number => byTime + timeMs

/** Returns the time that an offset stands for; null if it is an offset. */
export const timeOf = (offset: number): number | null => (offset < byTime ? null : offset - byTime)

export type UnknownOffset = { partition: number; timeMs: number }

/** The next offset to read of each partition of `changes`. It only moves forward. */
export class Position {
  readonly #next: number[]

  constructor(next: Iterable<number>) {
    this.#next = [...next]
  }

  get offsets(): readonly number[] {
    return this.#next
  }

  /** The partitions whose offset is not known yet. */
  get unknown(): UnknownOffset[] {
    return this.#next.flatMap((next, partition) => {
      const timeMs = timeOf(next)
      return timeMs === null ? [] : [{ partition, timeMs }]
    })
  }

  at(partition: number): number {
    return this.#next[partition] ?? 0
  }

  advance(partition: number, next: number): void {
    if (next > this.at(partition)) this.resolve(partition, next)
  }

  /** Sets the offset of a partition that was not known. A partition that was added begins at 0. */
  resolve(partition: number, offset: number): void {
    while (this.#next.length < partition) this.#next.push(0)
    this.#next[partition] = offset
  }

  copy(): Position {
    return new Position(this.#next)
  }
}
