/**
 * A map of the entries that were set last: at least `least` of them, and at most twice as many. A
 * `Map` that deletes its oldest key for each new one is slow when it is large: it searches for that
 * key behind the gaps of all that it has deleted.
 */
export class NewestEntries<Key, Value> {
  readonly #least: number
  #newer = new Map<Key, Value>()
  #older = new Map<Key, Value>()
  readonly #offered = new Set<Key>()

  constructor(least: number) {
    this.#least = least
  }

  get(key: Key): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key)
  }

  set(key: Key, value: Value): void {
    if (this.#least === 0) return
    if (this.#newer.size >= this.#least && !this.#newer.has(key)) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(key, value)
  }

  /**
   * Sets an entry only if the same key was offered before, among the last `least` offers. Entries
   * that are used once then cost no garbage collection.
   */
  offer(key: Key, value: Value): void {
    if (this.#offered.has(key)) return this.set(key, value)
    if (this.#offered.size >= this.#least) this.#offered.clear()
    this.#offered.add(key)
  }

  delete(key: Key): void {
    this.#newer.delete(key)
    this.#older.delete(key)
  }
}
