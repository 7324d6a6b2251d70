import type { Delivery } from '../../delivery/delivery.ts'
import type { Endpoints } from '../../endpoint/endpoints.ts'
import type { PausedArrivals } from '../../paused/paused-arrivals.ts'
import type { PartitionSubscriptions } from '../../subscriptions/partition-subscriptions.ts'
import type { DeliveryRouter } from '../../transitions/delivery-router.ts'
import type { WaitingDeliveries } from '../admission/waiting-deliveries.ts'

export type MovingDeliveriesOptions = {
  subscriptions: Pick<PartitionSubscriptions, 'entryOf'>
  endpoints: Pick<Endpoints<Delivery>, 'all'>
  waiting: Pick<WaitingDeliveries, 'leastArrival'>
  router: Pick<DeliveryRouter, 'leastRerouting'>
  paused: Pick<PausedArrivals, 'isComplete' | 'subscriptions' | 'takeAdded' | 'leastOf'>
  /** True if the deliveries of the endpoint belong to another partition. */
  isElsewhere: (endpointId: string) => boolean
}

const unknown = Number.NEGATIVE_INFINITY

/** The deliveries of a partition that leave it because its topics got more partitions. */
export class MovingDeliveries {
  readonly #options: MovingDeliveriesOptions
  /** Subscriptions whose paused deliveries leave. */
  readonly #paused = new Set<string>()
  #searchedAmong = 0

  constructor(options: MovingDeliveriesOptions) {
    this.#options = options
  }

  /**
   * Returns a lower bound for their arrivals. It visits all paused subscriptions once for each
   * number of partitions, and later only those that were added.
   */
  leastArrival(partitions: number): number {
    const { endpoints, waiting, router, paused, isElsewhere } = this.#options
    if (!paused.isComplete) return unknown
    for (const { id, inFlight, queued } of endpoints.all())
      if (inFlight + queued > 0 && isElsewhere(id)) return unknown
    return Math.min(waiting.leastArrival, router.leastRerouting, this.#leastPaused(partitions))
  }

  #leastPaused(partitions: number): number {
    const { paused } = this.#options
    const added = paused.takeAdded()
    const isSearched = this.#searchedAmong === partitions
    this.#searchedAmong = partitions
    for (const id of isSearched ? added : paused.subscriptions)
      if (this.#isMoving(id)) this.#paused.add(id)
    let least = Number.POSITIVE_INFINITY
    for (const id of this.#paused) {
      const arrival = this.#isMoving(id) ? paused.leastOf(id) : undefined
      if (arrival === undefined) this.#paused.delete(id)
      else least = Math.min(least, arrival)
    }
    return least
  }

  #isMoving(subscriptionId: string): boolean {
    const { subscriptions, isElsewhere } = this.#options
    // The endpoint of an unreadable subscription is unknown.
    const endpointId = subscriptions.entryOf(subscriptionId)?.endpointId ?? null
    return endpointId !== null && isElsewhere(endpointId)
  }
}
