/** Bounds what runs at once, for each of those who ask and for all of them together. */
export class ConcurrencyLimit {
  readonly #most: { each: number; all: number }
  readonly #runningOf = new Map<string, number>()
  #running = 0
  /** In the order of their coming. */
  readonly #waiting = new Set<{ who: string; go: () => void }>()

  constructor(most: { each: number; all: number }) {
    this.#most = most
  }

  /** Runs `work` when it is the turn of `who`. */
  async run<T>(who: string, work: () => Promise<T>): Promise<T> {
    if (!this.#mayRun(who)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add({ who, go: resolve })
      // Whoever lets it go has counted it.
      await promise
    } else this.#count(who, 1)
    try {
      return await work()
    } finally {
      this.#count(who, -1)
      this.#next()
    }
  }

  #mayRun(who: string): boolean {
    return this.#running < this.#most.all && (this.#runningOf.get(who) ?? 0) < this.#most.each
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      if (this.#running >= this.#most.all) return
      if (!this.#mayRun(waiting.who)) continue
      this.#waiting.delete(waiting)
      this.#count(waiting.who, 1)
      waiting.go()
    }
  }

  #count(who: string, change: number): void {
    this.#running += change
    const mine = (this.#runningOf.get(who) ?? 0) + change
    if (mine === 0) this.#runningOf.delete(who)
    else this.#runningOf.set(who, mine)
  }
}
