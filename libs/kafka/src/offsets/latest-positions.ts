import { isBefore } from '@surehook/contracts/wal-position'
import { NewestEntries } from '@surehook/service-kit/newest-entries'

/**
 * Least number of most recently written keys to remember, including tombstones. A relay repeats only
 * records that it sent shortly before its PostgreSQL crashed. Fewer keys than this are written in
 * that time.
 */
const rememberedKeys = 100_000

/**
 * Recognises states that a relay repeats after a crash of its PostgreSQL. It remembers the newest
 * WAL position of each key even after its tombstone, so that deleted entries do not return.
 */
export class LatestPositions {
  readonly #positions: NewestEntries<string, string>

  constructor(least: number = rememberedKeys) {
    this.#positions = new NewestEntries(least)
  }

  /**
   * Notes the next record of a key, and returns whether it repeats a state older than the newest
   * one. A record without a comparable position is never outdated, because no relay of this cluster
   * sent it. The newest position may occur again: one commit may contain two states of a key.
   */
  isOutdated(key: string, position: string | null): boolean {
    if (position === null) {
      this.#positions.delete(key)
      return false
    }
    const latest = this.#positions.get(key)
    if (latest !== undefined && isBefore(position, latest) === true) return true
    this.#positions.set(key, position)
    return false
  }
}
