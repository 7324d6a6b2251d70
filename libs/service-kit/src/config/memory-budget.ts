/** What one holder, such as a partition, has of a budget. */
export type BudgetShare = {
  readonly bytes: number
  /** The budget is used up, and this holder has a good part of it: it must take no more. */
  readonly mustPause: boolean
  /** There is room again, or this holder has little of what is used. */
  readonly mayResume: boolean
  add(bytes: number): void
  release(bytes: number): void
  /** Gives back everything that it has. */
  close(): void
}

/**
 * Bytes that all holders of a process may have together. Above the limit those pause that hold most,
 * so that one with little is never stopped by the others. When each pauses as told, at most one and a
 * half times the limit is held, and what was on its way.
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
