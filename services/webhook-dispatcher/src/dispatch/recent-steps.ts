/**
 * Which (delivery, step) pairs this partition has dealt with: a matcher that repeats its work after
 * a crash, or a move repeated by one of ours, must not become a second attempt. Bounded: the older
 * half is forgotten when the newer half is full.
 */
export class RecentSteps {
  readonly #half: number
  #newer = new Set<string>()
  #older = new Set<string>()
  readonly #open = new Set<string>()

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2)
  }

  /** @returns false when the pair is open or done: this is a repetition */
  begin(deliveryId: string, step: number): boolean {
    const key = keyOf(deliveryId, step)
    if (this.#open.has(key) || this.#newer.has(key) || this.#older.has(key)) return false
    this.#open.add(key)
    return true
  }

  isDone(deliveryId: string, step: number): boolean {
    const key = keyOf(deliveryId, step)
    return this.#newer.has(key) || this.#older.has(key)
  }

  /** Its result is durable: a repetition may be dropped from now on, whoever brings it. */
  done(deliveryId: string, step: number): void {
    const key = keyOf(deliveryId, step)
    this.#open.delete(key)
    this.#newer.add(key)
    if (this.#newer.size >= this.#half) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
  }
}

const keyOf = (deliveryId: string, step: number) => `${deliveryId}:${step}`
