/** The next offset to read of each partition of `changes`. It only moves forward. */
export class Position {
  readonly #next: number[]

  constructor(next: Iterable<number>) {
    this.#next = [...next]
  }

  get offsets(): readonly number[] {
    return this.#next
  }

  at(partition: number): number {
    return this.#next[partition] ?? 0
  }

  advance(partition: number, next: number): void {
    if (next > this.at(partition)) this.#next[partition] = next
  }

  advanceTo(other: Position): void {
    for (const [partition, next] of other.offsets.entries()) this.advance(partition, next)
  }

  copy(): Position {
    return new Position(this.#next)
  }
}
