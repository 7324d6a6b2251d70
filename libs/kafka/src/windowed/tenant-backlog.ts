import type { FairShare } from './fair-share.ts'

/**
 * Lets messages of one assigned partition overtake those of tenants that have used their share of
 * its window. Messages without room stay in the log. For each waiting tenant only its first waiting
 * offset is kept. All its later messages wait as well, which keeps them in order. The partition
 * continues with other tenants and reads back when there is room: for one tenant in turn, from its
 * own offset, until it has enough. So what is read for it does not grow with the messages of others
 * before and behind it.
 */
export class TenantBacklog {
  readonly #shares: FairShare
  /** First waiting offset by tenant, the one whose turn is next first. */
  readonly #waitingFrom = new Map<string, number>()
  /** While reading back: the tenants whose waiting messages are all in the range that is read. */
  #back: Set<string> | null = null
  /** The tenant for which it reads back. The others in `#back` take what they find on the way. */
  #reader = ''
  /**
   * True if the current batch belongs to the reading back: batches fetched before it arrive first.
   */
  #isHere = false
  /** Offset at which reading back continues. */
  #at = 0

  constructor(shares: FairShare) {
    this.#shares = shares
  }

  get isReadingBack(): boolean {
    return this.#back !== null
  }

  /** Offset at which a batch of the reading back must begin. */
  get position(): number | undefined {
    return this.#back === null ? undefined : this.#at
  }

  /** Number of waiting tenants. */
  get waiting(): number {
    return this.#waitingFrom.size
  }

  /** Offset of the first waiting message, or undefined if none waits. */
  get leastWaiting(): number | undefined {
    let least: number | undefined
    for (const from of this.#waitingFrom.values()) least = Math.min(least ?? from, from)
    return least
  }

  /** Offset of the tenant's first waiting message, or undefined if none waits. */
  waitingFrom(tenant: string): number | undefined {
    return this.#waitingFrom.get(tenant)
  }

  /** True if the tenant for which it reads back takes no further messages. */
  get hasEnough(): boolean {
    return this.#isHere && this.#back?.has(this.#reader) === false
  }

  /** Call it before each batch. */
  begin(): void {
    this.#isHere = this.#back !== null
  }

  /**
   * True if a message is handed out now. Otherwise it waits.
   * @param isNew whether it was never read before
   */
  admits(tenant: string, offset: number, { isNew }: { isNew: boolean }): boolean {
    const from = this.#waitingFrom.get(tenant)
    if (from === undefined) {
      if (!isNew) return false
      if (this.#shares.admits(tenant)) return true
      this.#waitingFrom.set(tenant, offset)
      return false
    }
    // Lower offsets were handed out already. A message out of turn would overtake earlier ones of
    // its tenant.
    if (offset < from || !this.#isHere || !this.#back?.has(tenant)) return false
    const admitted = this.#shares.admits(tenant)
    this.#waitingFrom.set(tenant, admitted ? offset + 1 : offset)
    if (!admitted) this.#back.delete(tenant)
    return admitted
  }

  /** @returns the offset to read back from, or undefined when no waiting tenant has room */
  goBack(): number | undefined {
    const next = this.#waitingFrom.entries().find(([tenant]) => this.#shares.isRoomy(tenant))
    if (next === undefined) return undefined
    const [reader, first] = next
    this.#reader = reader
    this.#at = first
    this.#back = new Set()
    // A tenant that waits from a lower offset would miss its first messages.
    for (const [tenant, offset] of this.#waitingFrom) if (offset >= first) this.#back.add(tenant)
    // The others have their turns before it.
    this.#waitingFrom.delete(reader)
    this.#waitingFrom.set(reader, first)
    return first
  }

  /**
   * Call it after each batch.
   * @param next offset that would be read next
   * @param frontier first offset that was never read
   * @returns true when reading must continue at the frontier
   */
  isDone({ next, frontier }: { next: number; frontier: number }): boolean {
    if (!this.#isHere || this.#back === null) return false
    this.#at = next
    if (next < frontier && !this.hasEnough) return false
    this.#goOn({ caughtUp: next >= frontier })
    return true
  }

  /** Continues reading at the frontier and ends the reading back. */
  interrupt(): void {
    this.#goOn({ caughtUp: false })
  }

  #goOn({ caughtUp }: { caughtUp: boolean }): void {
    // All messages of these tenants up to the frontier were handed out.
    if (caughtUp) for (const tenant of this.#back ?? []) this.#waitingFrom.delete(tenant)
    this.#back = null
    this.#isHere = false
  }
}
