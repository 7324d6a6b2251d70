/**
 * Every connection keeps the plans of its prepared statements, so the number is limited to save the
 * server's memory.
 */
const maxPrepared = 100

/**
 * A table is replaced only after this time without use: faster replacement would leave more unused
 * plans than it saves work.
 */
const idleMs = 60_000

/** Decides which tables get prepared statements: those in use, up to the limit. */
export class PreparedTables {
  readonly #now: () => number
  /** The last use of each table, least recently used first. */
  readonly #lastUse = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns whether this use of the table may be prepared. */
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
