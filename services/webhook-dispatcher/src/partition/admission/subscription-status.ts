import type { Delivery } from '../../delivery/delivery.ts'
import type { Endpoints } from '../../endpoint/endpoints.ts'
import type { PartitionSubscriptions } from '../../subscriptions/partition-subscriptions.ts'
import type { Subscription } from '../../subscriptions/subscription.ts'
import { isCancelled } from './admission.ts'

/** Tells which subscriptions are blocked, and which of their deliveries were cancelled. */
export class SubscriptionStatus {
  readonly #subscriptions: Pick<PartitionSubscriptions, 'get'>
  readonly #endpoints: Endpoints<Delivery>

  constructor(subscriptions: Pick<PartitionSubscriptions, 'get'>, endpoints: Endpoints<Delivery>) {
    this.#subscriptions = subscriptions
    this.#endpoints = endpoints
  }

  /** True if the subscription is inactive, or a circuit holds up its deliveries. */
  isBlocked(subscription: Subscription): boolean {
    const { circuits } = this.#endpoints.of(subscription)
    return !subscription.deliverable || circuits.isOpenFor(subscription.id)
  }

  /** True if the subscription was deleted or has another endpoint since. */
  hasLeft({ id, endpointId }: Subscription): boolean {
    const now = this.#subscriptions.get(id)
    return now === undefined || (now.url !== null && now.endpointId !== endpointId)
  }

  /** True if a delivery that is not in flight was cancelled by request. */
  isCancelled(subscription: Subscription, delivery: Delivery): boolean {
    return isCancelled(subscription, delivery, () => this.#blockedSince(subscription))
  }

  /**
   * True if a delivery was cancelled before it moves to another record. The new record does not
   * show which status the delivery had at the time of the request.
   */
  isCancelledNow(delivery: Delivery): boolean {
    const subscription = this.#subscriptions.get(delivery.job.subscriptionId)
    if (subscription === undefined || subscription.url === null) return false
    return this.isCancelled(subscription, delivery)
  }

  /** True if a delivery was cancelled during its attempt. It was not blocked then. */
  isCancelledInFlight(subscription: Subscription, delivery: Delivery): boolean {
    return isCancelled(subscription, delivery, () => Number.POSITIVE_INFINITY)
  }

  #blockedSince(subscription: Subscription): number | undefined {
    const { circuits } = this.#endpoints.of(subscription)
    const since = Math.min(circuits.openSince(subscription.id), subscription.inactiveSince)
    return Number.isFinite(since) || !this.isBlocked(subscription) ? since : undefined
  }
}
