import { FairSlots } from '@surehook/service-kit/slots/fair-slots'

/** Each takes 1 to 3 ms of the event loop, and hundreds at once would delay every other attempt. */
const atOnce = 16
/** A receiver that has not answered by then takes no time of the event loop meanwhile. */
const longestMs = 50

/** Lets TLS handshakes begin in turns of tenants, a few at once. */
export class Handshakes {
  readonly #slots = new FairSlots({ room: { all: atOnce, each: 'free' } })

  /** Resolves when a handshake of the tenant may begin. Call the result when it has ended. */
  async begin(tenant: string): Promise<() => void> {
    const slot = await this.#slots.take(tenant)
    const timer = setTimeout(() => slot[Symbol.dispose](), longestMs)
    return () => {
      clearTimeout(timer)
      slot[Symbol.dispose]()
    }
  }
}
