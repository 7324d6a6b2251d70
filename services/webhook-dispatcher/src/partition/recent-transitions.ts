/**
 * Which steps of which deliveries this partition has dealt with: a matcher that repeats its work after
 * a crash, or a move repeated by one of ours, must not become a second attempt. Bounded: the older
 * half is forgotten when the newer half is full.
 */
export class RecentSteps {
  readonly #half: number
  /** By delivery: the highest step. A lower one that comes later is a repetition, too. */
  #newer = new Map<string, number>()
  #older = new Map<string, number>()
  readonly #open = new Map<string, number>()

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2)
  }

  /** @returns false when the step is open or done: this is a repetition */
  begin(deliveryId: string, step: number): boolean {
    if (this.has(deliveryId, step)) return false
    this.#open.set(deliveryId, step)
    return true
  }

  /** It, or a later one, is open or done. */
  has(deliveryId: string, step: number): boolean {
    return (this.#open.get(deliveryId) ?? -1) >= step || this.isDone(deliveryId, step)
  }

  isDone(deliveryId: string, step: number): boolean {
    const done = this.#newer.get(deliveryId) ?? this.#older.get(deliveryId)
    return done !== undefined && done >= step
  }

  /** It was begun, and comes again. */
  abandon(deliveryId: string, step: number): void {
    if (this.#open.get(deliveryId) === step) this.#open.delete(deliveryId)
  }

  /** Its result is durable: a repetition may be dropped from now on, whoever brings it. */
  done(deliveryId: string, step: number): void {
    if (this.#open.get(deliveryId) === step) this.#open.delete(deliveryId)
    if (this.isDone(deliveryId, step)) return
    this.#newer.set(deliveryId, step)
    if (this.#newer.size >= this.#half) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
  }
}
