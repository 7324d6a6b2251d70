import type { Delivery } from '../../delivery/delivery.ts'

/**
 * Deliveries that are neither started nor paused yet. Later ones of their subscription wait behind
 * them.
 */
export class Undecided {
  readonly #of = new Map<string, Delivery[]>()

  has(subscriptionId: string): boolean {
    return this.#of.has(subscriptionId)
  }

  add(delivery: Delivery): void {
    const { subscriptionId } = delivery.job
    const waiting = this.#of.get(subscriptionId)
    if (waiting === undefined) this.#of.set(subscriptionId, [delivery])
    else waiting.push(delivery)
  }

  count(subscriptionId: string): number {
    return this.#of.get(subscriptionId)?.length ?? 0
  }

  /** Removes and returns the subscription's deliveries, in order of arrival. */
  take(subscriptionId: string): Delivery[] {
    const waiting = this.#of.get(subscriptionId) ?? []
    this.#of.delete(subscriptionId)
    return waiting
  }
}
