/**
 * How far the WAL holds states of another service that are on their topic already. A record that carries this
 * position says: whoever has read that topic since knows every state that was committed before this record.
 */
export class StatesPosition {
  /** Behind the last state that was read, or where reading began. */
  #position: bigint
  /** A state was read, and not the end of its commit yet. */
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
   * Reading began no later than here: another process may have gone on since the beginning was looked up. To be
   * called once, before `confirmed`.
   */
  beganBefore(lsn: bigint): void {
    if (!this.#isOpen && lsn > this.#position) this.#position = lsn
  }

  /** A state was read. */
  passed(): void {
    this.#isOpen = true
    this.#isPublished = false
  }

  /** The end of a commit was read. */
  reached(lsn: bigint): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#position = lsn
  }

  /** @param lsn what the other service's slot has confirmed, and so is on the topic */
  confirmed(lsn: bigint): void {
    if (!this.#isOpen && lsn >= this.#position) this.#isPublished = true
  }
}
