import type { Delivery } from './delivery.ts'

/** Deliveries that neither start nor pause yet; later ones of their subscription wait behind them. */
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

  /** All of the subscription, in the order of their coming. */
  take(subscriptionId: string): Delivery[] {
    const waiting = this.#of.get(subscriptionId) ?? []
    this.#of.delete(subscriptionId)
    return waiting
  }
}
