type Assignment = { readonly committed: number }
type ReadBelowCommit = { position: number; messages: number; bytes: number }

/**
 * Limits the bytes of one partition, over several topics, that are read again below its commits.
 */
export class LookBack<L extends Assignment> {
  /** Assigned partitions that have not reached their commit. */
  readonly #assignments: Set<L>
  #bytesLeft: number

  constructor(bytes: number, assignments: Iterable<L>) {
    this.#bytesLeft = bytes
    this.#assignments = new Set(assignments)
  }

  /**
   * Kafka cannot report the number of bytes between two offsets, so the last read serves as an
   * estimate.
   * @param read messages read below the commit, up to `position`
   * @returns offset to continue at, further on if the rest exceeds the assigned partition's share
   *   of the bytes
   */
  readOn(assignment: L, { position, messages, bytes }: ReadBelowCommit): number {
    this.#bytesLeft -= bytes
    if (position >= assignment.committed) this.#assignments.delete(assignment)
    if (position >= assignment.committed || messages === 0) return position
    const share = Math.max(0, this.#bytesLeft) / this.#assignments.size
    const most = Math.floor((share * messages) / Math.max(1, bytes))
    return Math.max(position, assignment.committed - most)
  }
}
