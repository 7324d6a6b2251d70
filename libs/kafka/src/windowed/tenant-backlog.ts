import type { FairShare } from './fair-share.ts'

/**
 * Lets the messages of one assigned partition overtake those of tenants that hold their share of its window. What
 * does not fit waits in the log, and of a tenant only the offset is kept from which it does: all of
 * its messages from there on wait, so that they stay in order. The assigned partition reads on for the others, and
 * goes back when there is room.
 */
export class TenantBacklog {
  readonly #shares: FairShare
  /** By tenant: its first message that waits. */
  readonly #waitingFrom = new Map<string, number>()
  /** While reading back: those whose messages come again without a gap. */
  #back: Set<string> | null = null
  /** Whether what is read now was read back for: what was fetched before comes first. */
  #isHere = false
  /** Where what is read back goes on. */
  #at = 0

  constructor(shares: FairShare) {
    this.#shares = shares
  }

  get isReadingBack(): boolean {
    return this.#back !== null
  }

  /** Where a batch that is read back has to begin. */
  get position(): number | undefined {
    return this.#back === null ? undefined : this.#at
  }

  /** Number of tenants. */
  get waiting(): number {
    return this.#waitingFrom.size
  }

  /** The offset of the first message of the tenant that waits; undefined when none does. */
  waitingFrom(tenant: string): number | undefined {
    return this.#waitingFrom.get(tenant)
  }

  /** Nobody takes any more of what is read back. */
  get hasEnough(): boolean {
    return this.#isHere && this.#back?.size === 0
  }

  /** To be called before each batch. */
  begin(): void {
    this.#isHere = this.#back !== null
  }

  /**
   * Whether a message is handed out now; otherwise it waits.
   * @param isNew it was never read before
   */
  admits(tenant: string, offset: number, { isNew }: { isNew: boolean }): boolean {
    const from = this.#waitingFrom.get(tenant)
    if (from === undefined) {
      if (!isNew) return false
      if (this.#shares.admits(tenant)) return true
      this.#waitingFrom.set(tenant, offset)
      return false
    }
    // What is below was handed out; what comes before its turn would overtake its own.
    if (offset < from || !this.#isHere || !this.#back?.has(tenant)) return false
    const admitted = this.#shares.admits(tenant)
    this.#waitingFrom.set(tenant, admitted ? offset + 1 : offset)
    if (!admitted) this.#back.delete(tenant)
    return admitted
  }

  /** @returns from where to read again; undefined when nobody who waits has room */
  goBack(): number | undefined {
    let first: number | undefined
    for (const [tenant, offset] of this.#waitingFrom) {
      if (this.#shares.isRoomy(tenant)) first = Math.min(first ?? offset, offset)
    }
    if (first === undefined) return undefined
    this.#at = first
    this.#back = new Set()
    // Of one that waits from further back the first messages would be missed.
    for (const [tenant, offset] of this.#waitingFrom) if (offset >= first) this.#back.add(tenant)
    return first
  }

  /**
   * To be called after each batch.
   * @param next what would be read next
   * @param frontier the first offset that was never read
   * @returns true when reading is to go on at the frontier
   */
  isDone({ next, frontier }: { next: number; frontier: number }): boolean {
    if (!this.#isHere || this.#back === null) return false
    this.#at = next
    if (next < frontier && this.#back.size > 0) return false
    this.#goOn({ caughtUp: next >= frontier })
    return true
  }

  /** Reading goes on at the frontier, whatever was to be read. */
  interrupt(): void {
    this.#goOn({ caughtUp: false })
  }

  #goOn({ caughtUp }: { caughtUp: boolean }): void {
    // Everything of theirs up to there was handed out.
    if (caughtUp) for (const tenant of this.#back ?? []) this.#waitingFrom.delete(tenant)
    this.#back = null
    this.#isHere = false
  }
}
