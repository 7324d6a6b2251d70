import { isBefore } from '@surehook/contracts/wal-position'

/**
 * The keys that were written last, tombstones included. A relay repeats only what it sent shortly
 * before its PostgreSQL crashed: nobody writes so many keys in that time.
 */
const rememberedKeys = 100_000

/**
 * Recognises states that a relay sends again after a crash of its PostgreSQL. Each key's newest
 * position in the WAL is remembered beyond its tombstone, so that nothing deleted comes back.
 */
export class LatestPositions {
  /** The key that was written last is at the end. */
  readonly #positions = new Map<string, string>()
  readonly #limit: number

  constructor(limit: number = rememberedKeys) {
    this.#limit = limit
  }

  /**
   * Takes the next record of a key, and returns whether it repeats a state from before the newest one.
   * A record without a comparable position is none: no relay of this cluster sent it. The newest
   * state itself may come again: one commit may hold two states of a key.
   */
  isOutdated(key: string, position: string | null): boolean {
    const latest = this.#positions.get(key)
    if (position === null) {
      this.#positions.delete(key)
      return false
    }
    if (latest !== undefined && isBefore(position, latest) === true) return true
    this.#remember(key, position)
    return false
  }

  #remember(key: string, position: string): void {
    this.#positions.delete(key)
    this.#positions.set(key, position)
    if (this.#positions.size <= this.#limit) return
    const [oldest] = this.#positions.keys()
    if (oldest !== undefined) this.#positions.delete(oldest)
  }
}
