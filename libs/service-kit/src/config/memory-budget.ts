/** The part of a budget that one holder, such as a partition, uses. */
export type BudgetShare = {
  readonly bytes: number
  /**
   * The budget is exhausted and this holder uses at least half of an equal share: it must take no
   * more bytes.
   */
  readonly mustPause: boolean
  /** Half of the budget is free, or this holder uses at most a quarter of an equal share. */
  readonly mayResume: boolean
  add(bytes: number): void
  release(bytes: number): void
  /** Releases all bytes of this holder. */
  close(): void
}

/**
 * Limit in bytes for all holders of a process together. Above the limit the largest holders pause,
 * so that they cannot stop a small one. If every holder obeys, the process holds at most one and a
 * half times the limit, plus bytes in flight.
 */
export class MemoryBudget {
  readonly #limit: number
  #used = 0
  #holders = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  get used(): number {
    return this.#used
  }

  open(): BudgetShare {
    this.#holders++
    let bytes = 0
    let isOpen = true
    const change = (by: number) => {
      if (!isOpen) return
      bytes += by
      this.#used += by
    }
    const isOver = () => this.#used >= this.#limit && bytes >= this.#equalShare / 2
    const isRoomy = () => this.#used <= this.#limit / 2 || bytes <= this.#equalShare / 4
    return {
      get bytes() {
        return bytes
      },
      get mustPause() {
        return isOver()
      },
      get mayResume() {
        return isRoomy()
      },
      add: (more) => change(more),
      release: (less) => change(-less),
      close: () => {
        change(-bytes)
        if (isOpen) this.#holders--
        isOpen = false
      },
    }
  }

  get #equalShare(): number {
    return this.#limit / Math.max(1, this.#holders)
  }
}
