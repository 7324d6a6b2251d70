/**
 * Tracks the WAL position up to which another service's states are on their topic. A record carries
 * this position. A reader that has since read that topic to its end knows every state committed
 * before the record.
 */
export class StatesPosition {
  /** Position after the last state that was read, or the position where reading began. */
  #position: bigint
  /** True if a state was read whose commit has not been reached. */
  #isOpen = false
  #isPublished = false

  constructor(beginning: bigint) {
    this.#position = beginning
  }

  /** `null` while the last state may not be on its topic. */
  get published(): bigint | null {
    return this.#isPublished ? this.#position : null
  }

  /**
   * Notes that reading began no later than `lsn`: another process may have advanced the slot after
   * its position was read. Call it once, before `confirmed`.
   */
  beganBefore(lsn: bigint): void {
    if (!this.#isOpen && lsn > this.#position) this.#position = lsn
  }

  /** Notes that a state was read. */
  passed(): void {
    this.#isOpen = true
    this.#isPublished = false
  }

  /** Notes that the end of a commit was read. */
  reached(lsn: bigint): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#position = lsn
  }

  /** @param lsn confirmed position of the other service's slot: earlier states are on the topic */
  confirmed(lsn: bigint): void {
    if (!this.#isOpen && lsn >= this.#position) this.#isPublished = true
  }
}
