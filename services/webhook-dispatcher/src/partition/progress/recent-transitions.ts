/**
 * Remembers which steps of which deliveries this partition has handled. A matcher that repeats its
 * work after a crash, or a repeated transition, must not cause a second attempt. Bounded: when the
 * newer half is full, the older half is dropped.
 */
export class RecentTransitions {
  readonly #half: number
  /** By delivery, the highest step. A lower one that arrives later is a repetition too. */
  #newer = new Map<string, number>()
  #older = new Map<string, number>()
  readonly #open = new Map<string, number>()

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2)
  }

  /** @returns false if the step is open or done, so that this is a repetition */
  begin(deliveryId: string, step: number): boolean {
    if (this.has(deliveryId, step)) return false
    this.#open.set(deliveryId, step)
    return true
  }

  /** True if this step or a later one is open or done. */
  has(deliveryId: string, step: number): boolean {
    return (this.#open.get(deliveryId) ?? -1) >= step || this.isDone(deliveryId, step)
  }

  isDone(deliveryId: string, step: number): boolean {
    const done = this.#newer.get(deliveryId) ?? this.#older.get(deliveryId)
    return done !== undefined && done >= step
  }

  /** Forgets a step that was begun and will come again. */
  abandon(deliveryId: string, step: number): void {
    if (this.#open.get(deliveryId) === step) this.#open.delete(deliveryId)
  }

  /** The result of the step is durable, so repetitions may be dropped from now on. */
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
