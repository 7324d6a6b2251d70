import type { Delivery } from '../../delivery/delivery.ts'
import type { Endpoints } from '../../endpoint/endpoints.ts'
import type { PausedArrivals } from '../../paused/paused-arrivals.ts'
import type { PartitionSubscriptions } from '../../subscriptions/partition-subscriptions.ts'
import type { DeliveryRouter } from '../../transitions/delivery-router.ts'
import type { WaitingDeliveries } from '../admission/waiting-deliveries.ts'

export type RerouteBacklogOptions = {
  subscriptions: Pick<PartitionSubscriptions, 'entryOf'>
  endpoints: Pick<Endpoints<Delivery>, 'all'>
  waiting: Pick<WaitingDeliveries, 'leastArrival'>
  router: Pick<DeliveryRouter, 'leastRerouting'>
  paused: Pick<PausedArrivals, 'isComplete' | 'subscriptions' | 'takeAdded' | 'leastOf'>
  /** True if the deliveries of the endpoint belong to another partition. */
  isRerouted: (endpointId: string) => boolean
}

const unknown = Number.NEGATIVE_INFINITY

/** The deliveries of a partition that leave it because its topics got more partitions. */
export class RerouteBacklog {
  readonly #options: RerouteBacklogOptions
  /** Subscriptions whose paused deliveries leave. */
  readonly #paused = new Set<string>()
  #searchedAmong = 0

  constructor(options: RerouteBacklogOptions) {
    this.#options = options
  }

  /**
   * Returns a lower bound for their arrivals. It visits all paused subscriptions once for each
   * number of partitions, and later only those that were added.
   */
  leastArrival(partitions: number): number {
    const { endpoints, waiting, router, paused, isRerouted } = this.#options
    if (!paused.isComplete) return unknown
    for (const { id, inFlight, queued } of endpoints.all())
      if (inFlight + queued > 0 && isRerouted(id)) return unknown
    return Math.min(waiting.leastArrival, router.leastRerouting, this.#leastPaused(partitions))
  }

  #leastPaused(partitions: number): number {
    const { paused } = this.#options
    const added = paused.takeAdded()
    const isSearched = this.#searchedAmong === partitions
    this.#searchedAmong = partitions
    for (const id of isSearched ? added : paused.subscriptions)
      if (this.#isRerouted(id)) this.#paused.add(id)
    let least = Number.POSITIVE_INFINITY
    for (const id of this.#paused) {
      const arrival = this.#isRerouted(id) ? paused.leastOf(id) : undefined
      if (arrival === undefined) this.#paused.delete(id)
      else least = Math.min(least, arrival)
    }
    return least
  }

  #isRerouted(subscriptionId: string): boolean {
    const { subscriptions, isRerouted } = this.#options
    // The endpoint of an unreadable subscription is unknown.
    const endpointId = subscriptions.entryOf(subscriptionId)?.endpointId ?? null
    return endpointId !== null && isRerouted(endpointId)
  }
}
