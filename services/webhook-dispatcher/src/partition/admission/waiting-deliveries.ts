import type { Delivery } from '../../delivery/delivery.ts'

/** The deliveries of one partition that were read, and that cannot be decided yet. */
export class WaitingDeliveries {
  /** They wait until the paused subscriptions are known, or until a rebalance drain ends. */
  readonly #held: Delivery[] = []
  /** By subscription. The first wait until the view is current, the others wait behind them. */
  readonly #undecided = new Map<string, Delivery[]>()
  #undecoded = 0

  /** A lower bound for the arrivals of its deliveries. Infinity if it has none. */
  get leastArrival(): number {
    if (this.#undecoded > 0) return Number.NEGATIVE_INFINITY
    let least = Number.POSITIVE_INFINITY
    for (const deliveries of [this.#held, ...this.#undecided.values()])
      for (const { job } of deliveries) least = Math.min(least, job.arrival)
    return least
  }

  hold(delivery: Delivery): void {
    this.#held.push(delivery)
  }

  /** Removes and returns what `hold` has added, in order of arrival. */
  takeHeld(): Delivery[] {
    // A failed transition may have put an earlier one behind later ones.
    return this.#held.splice(0).toSorted((a, b) => a.job.arrival - b.job.arrival)
  }

  /** True if deliveries of the subscription are neither started nor paused yet. */
  hasUndecided(subscriptionId: string): boolean {
    return this.#undecided.has(subscriptionId)
  }

  /** True if the partition may have earlier deliveries that the subscription has to wait for. */
  mayHaveEarlier(subscriptionId: string): boolean {
    return this.#undecoded > 0 || this.hasUndecided(subscriptionId)
  }

  addUndecided(delivery: Delivery): void {
    const { subscriptionId } = delivery.job
    const waiting = this.#undecided.get(subscriptionId)
    if (waiting === undefined) this.#undecided.set(subscriptionId, [delivery])
    else waiting.push(delivery)
  }

  countUndecided(subscriptionId: string): number {
    return this.#undecided.get(subscriptionId)?.length ?? 0
  }

  /** Removes and returns the subscription's undecided deliveries, in order of arrival. */
  takeUndecided(subscriptionId: string): Delivery[] {
    const waiting = this.#undecided.get(subscriptionId) ?? []
    this.#undecided.delete(subscriptionId)
    return waiting
  }

  /**
   * Counts jobs that were handed out but are not decoded yet.
   * @returns whether all are decoded
   */
  countUndecoded(change: number): boolean {
    this.#undecoded += change
    return this.#undecoded === 0
  }
}
