export type FairLimits = {
  /** The most slots taken at once. */
  total: number
  perOwner: number
}

export type Slot = Disposable

export type Waiter = { readonly owner: string; readonly enter: (slot: Slot) => void }

/**
 * Bounds the slots taken at once, in all and per owner. A freed slot goes to the waiting owner that
 * has the fewest, and among equals to the waiter that came first.
 */
export class FairSlots<Waiting extends Waiter> {
  readonly #limits: FairLimits
  readonly #taken = new Map<string, number>()
  /** The first that came is first. */
  readonly #waiting = new Set<Waiting>()
  #total = 0

  constructor(limits: FairLimits) {
    this.#limits = limits
  }

  get waiting(): ReadonlySet<Waiting> {
    return this.#waiting
  }

  get isFull(): boolean {
    return this.#total >= this.#limits.total
  }

  isAtLimit(owner: string): boolean {
    return this.#takenBy(owner) >= this.#limits.perOwner
  }

  /** Returns `null` if there is no free slot for this owner. */
  take(owner: string): Slot | null {
    if (this.isFull || this.isAtLimit(owner)) return null
    this.#add(owner, 1)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#add(owner, -1)
        this.#admitNext()
      },
    }
  }

  wait(waiter: Waiting): void {
    this.#waiting.add(waiter)
  }

  /** Returns false if `waiter` no longer waits. */
  leave(waiter: Waiting): boolean {
    return this.#waiting.delete(waiter)
  }

  #takenBy(owner: string): number {
    return this.#taken.get(owner) ?? 0
  }

  #add(owner: string, by: 1 | -1): void {
    this.#total += by
    const count = this.#takenBy(owner) + by
    if (count === 0) this.#taken.delete(owner)
    else this.#taken.set(owner, count)
  }

  #admitNext(): void {
    let next: Waiting | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const waiter of this.#waiting) {
      const taken = this.#takenBy(waiter.owner)
      if (taken >= fewest || this.isAtLimit(waiter.owner)) continue
      fewest = taken
      next = waiter
    }
    if (next === undefined) return
    const slot = this.take(next.owner)
    if (slot === null) return
    this.#waiting.delete(next)
    next.enter(slot)
  }
}
