type Lane = { readonly committed: number }
type Read = { position: number; messages: number; bytes: number }

/** What is read again below the commits of one partition, on several topics: bounded in bytes. */
export class LookBack<L extends Lane> {
  /** Those that have not come up to their commit. */
  readonly #lanes: Set<L>
  #bytesLeft: number

  constructor(bytes: number, lanes: Iterable<L>) {
    this.#bytesLeft = bytes
    this.#lanes = new Set(lanes)
  }

  /**
   * Kafka cannot be asked how many bytes lie between two offsets: what was read last tells.
   * @param read what was read below the commit, up to `position`
   * @returns where to read on: further where the lane's share of the bytes is not enough for the rest
   */
  readOn(lane: L, { position, messages, bytes }: Read): number {
    this.#bytesLeft -= bytes
    if (position >= lane.committed) this.#lanes.delete(lane)
    if (position >= lane.committed || messages === 0) return position
    const share = Math.max(0, this.#bytesLeft) / this.#lanes.size
    const most = Math.floor((share * messages) / Math.max(1, bytes))
    return Math.max(position, lane.committed - most)
  }
}
