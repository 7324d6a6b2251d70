export type PermitLimits = {
  /** The most permits held at once. */
  total: number
  perTenant: number
}

export type Permit = { readonly dispose: () => void }

type Waiter = { tenant: string; enter: (permit: Permit) => void }

/**
 * Bounds the permits held at once, in all and per tenant. The next permit goes to the waiting tenant
 * that holds the fewest, and among equals to the request that has waited longest.
 */
export class Permits {
  readonly #limits: PermitLimits
  readonly #held = new Map<string, number>()
  /** The longest waiting first. */
  readonly #waiting = new Set<Waiter>()
  #taken = 0

  constructor(limits: PermitLimits) {
    this.#limits = limits
  }

  /** Rejects with the signal's reason if it aborts first. */
  async take(tenant: string, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted()
    if (this.#hasRoom(tenant)) return this.#give(tenant)
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const waiter: Waiter = { tenant, enter: resolve }
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

  #hasRoom(tenant: string): boolean {
    const { total, perTenant } = this.#limits
    return this.#taken < total && this.#heldBy(tenant) < perTenant
  }

  #heldBy(tenant: string): number {
    return this.#held.get(tenant) ?? 0
  }

  #give(tenant: string): Permit {
    this.#add(tenant, 1)
    let held = true
    return {
      dispose: () => {
        if (!held) return
        held = false
        this.#add(tenant, -1)
        this.#giveNext()
      },
    }
  }

  #add(tenant: string, by: 1 | -1): void {
    this.#taken += by
    const count = this.#heldBy(tenant) + by
    if (count === 0) this.#held.delete(tenant)
    else this.#held.set(tenant, count)
  }

  #giveNext(): void {
    let next: Waiter | undefined
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.tenant)) continue
      const isFirst = next === undefined || this.#heldBy(waiter.tenant) < this.#heldBy(next.tenant)
      if (isFirst) next = waiter
    }
    if (next === undefined) return
    this.#waiting.delete(next)
    next.enter(this.#give(next.tenant))
  }
}
