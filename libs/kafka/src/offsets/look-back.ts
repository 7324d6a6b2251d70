type Assignment = { readonly committed: number }
type Read = { position: number; messages: number; bytes: number }

/** Bounds in bytes how much of one partition, on several topics, is read again below its commits. */
export class LookBack<L extends Assignment> {
  /** Those that have not come up to their commit. */
  readonly #assignments: Set<L>
  #bytesLeft: number

  constructor(bytes: number, assignments: Iterable<L>) {
    this.#bytesLeft = bytes
    this.#assignments = new Set(assignments)
  }

  /**
   * Kafka cannot be asked how many bytes lie between two offsets: what was read last tells.
   * @param read what was read below the commit, up to `position`
   * @returns where to read on: further where the assigned partition's share of the bytes is not enough for the rest
   */
  readOn(assignment: L, { position, messages, bytes }: Read): number {
    this.#bytesLeft -= bytes
    if (position >= assignment.committed) this.#assignments.delete(assignment)
    if (position >= assignment.committed || messages === 0) return position
    const share = Math.max(0, this.#bytesLeft) / this.#assignments.size
    const most = Math.floor((share * messages) / Math.max(1, bytes))
    return Math.max(position, assignment.committed - most)
  }
}
