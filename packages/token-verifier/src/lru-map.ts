/** A map of at most `max` entries: the one that was used least lately is forgotten first. */
export class LruMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // The latest used comes last: the first is the one to forget.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= this.#max && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
