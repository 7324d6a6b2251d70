type Line = { running: number; waiting: (() => void)[] }

/** Limits concurrent work per tenant and in all. Waiting tenants are served in turn. */
export class FairTurns {
  readonly #most: { each: number; all: number }
  readonly #lines = new Map<string, Line>()
  /** Waiting tenants below their own limit, the next one first. */
  readonly #ready = new Set<string>()
  #running = 0

  constructor(most: { each: number; all: number }) {
    this.#most = most
  }

  /** Runs `work` when it is the turn of `tenant`. */
  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(tenant) ?? { running: 0, waiting: [] }
    this.#lines.set(tenant, line)
    const turn = Promise.withResolvers<void>()
    line.waiting.push(turn.resolve)
    if (!this.#ready.has(tenant)) this.#queue(tenant, line)
    this.#startNext()
    await turn.promise
    try {
      return await work()
    } finally {
      this.#end(tenant, line)
      this.#startNext()
    }
  }

  #startNext(): void {
    for (const tenant of this.#ready) {
      if (this.#running >= this.#most.all) return
      const line = this.#lines.get(tenant)
      const start = line?.waiting.shift()
      if (line === undefined || start === undefined) continue
      this.#running += 1
      line.running += 1
      this.#queue(tenant, line)
      start()
    }
  }

  #end(tenant: string, line: Line): void {
    this.#running -= 1
    line.running -= 1
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(tenant)
    else if (!this.#ready.has(tenant)) this.#queue(tenant, line)
  }

  /** Moves the tenant to the end of the ready ones, or removes it. */
  #queue(tenant: string, line: Line): void {
    this.#ready.delete(tenant)
    if (line.waiting.length > 0 && line.running < this.#most.each) this.#ready.add(tenant)
  }
}
