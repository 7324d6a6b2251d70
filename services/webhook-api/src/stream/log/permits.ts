import { FairSlots, type Slot } from '@surehook/service-kit/slots/fair-slots'

export type Permit = Slot

/** Bounds the permits held at once, in all and per tenant. Waiting requests get them fairly. */
export class Permits {
  readonly #slots: FairSlots

  constructor({ total, perTenant }: { total: number; perTenant: number }) {
    this.#slots = new FairSlots({ room: { all: total, each: perTenant } })
  }

  /** Rejects with the signal's reason if it aborts first. */
  take(tenant: string, signal: AbortSignal): Promise<Permit> {
    return this.#slots.take(tenant, { signal })
  }
}
