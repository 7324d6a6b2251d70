/** Every connection keeps the plans of prepared statements: with no limit they would eat the server. */
const maxPrepared = 100

/** Places that change hands more often would leave more plans behind than they save work. */
const idleMs = 60_000

/** The tables whose statements are prepared: those that are in use, as many as there is room for. */
export class PreparedTables {
  readonly #now: () => number
  /** When each was last used, the longest unused first. */
  readonly #lastUse = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether this use of the table may be prepared. */
  use(key: string): boolean {
    const now = this.#now()
    if (!this.#lastUse.delete(key) && !this.#makeRoom(now)) return false
    this.#lastUse.set(key, now)
    return true
  }

  forget(key: string): void {
    this.#lastUse.delete(key)
  }

  #makeRoom(now: number): boolean {
    if (this.#lastUse.size < maxPrepared) return true
    const [longestUnused] = this.#lastUse
    if (longestUnused === undefined || now - longestUnused[1] < idleMs) return false
    return this.#lastUse.delete(longestUnused[0])
  }
}
