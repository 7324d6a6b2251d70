import { FairSlots, type Slot, type Waiter } from '@surehook/service-kit/fair-slots'

export type PermitLimits = {
  /** The most permits held at once. */
  total: number
  perTenant: number
}

export type Permit = Slot

/** Bounds the permits held at once, in all and per tenant. Waiting requests get them fairly. */
export class Permits {
  readonly #slots: FairSlots<Waiter>

  constructor({ total, perTenant }: PermitLimits) {
    this.#slots = new FairSlots({ total, perOwner: perTenant })
  }

  /** Rejects with the signal's reason if it aborts first. */
  async take(tenant: string, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted()
    const free = this.#slots.take(tenant)
    if (free !== null) return free
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const waiter: Waiter = { owner: tenant, enter: resolve }
    this.#slots.wait(waiter)
    const onAbort = () => {
      if (this.#slots.leave(waiter)) reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}
