type Waiter = { enter: (permit: Permit) => void }

export type Permit = { readonly dispose: () => void }

/** A limited number of permits, given in the order of the requests. */
export class Permits {
  readonly #waiting = new Set<Waiter>()
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** Rejects with the signal's reason if it aborts first. */
  async take(signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted()
    if (this.#free > 0) return this.#give()
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const waiter: Waiter = { enter: resolve }
    this.#waiting.add(waiter)
    const onAbort = () => {
      if (this.#waiting.delete(waiter)) reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #give(): Permit {
    this.#free -= 1
    let held = true
    return {
      dispose: () => {
        if (!held) return
        held = false
        this.#free += 1
        const [next] = this.#waiting
        if (next === undefined) return
        this.#waiting.delete(next)
        next.enter(this.#give())
      },
    }
  }
}
