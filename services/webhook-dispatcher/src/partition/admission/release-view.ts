import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../../delivery/delivery.ts'
import { pausedMark } from '../../delivery/paused-headers.ts'
import type { Endpoints } from '../../endpoint/endpoints.ts'
import type { PausedView } from '../../paused/paused-actions.ts'
import type { PartitionSubscriptions } from '../../subscriptions/partition-subscriptions.ts'
import { type Subscription, unloaded } from '../../subscriptions/subscription.ts'
import type { DeliveryRouter } from '../../transitions/delivery-router.ts'
import { retryDueAt } from '../../transitions/retry-ladder.ts'
import type { PartitionState } from '../partition-state.ts'
import type { RecordOrder } from './record-order.ts'
import type { SubscriptionStatus } from './subscription-status.ts'
import type { WaitingDeliveries } from './waiting-deliveries.ts'

export type ReleaseViewOptions = {
  subscriptions: Pick<PartitionSubscriptions, 'get'>
  endpoints: Endpoints<Delivery>
  /** The assigned partition of `webhook.deliveries`. */
  deliveries: AssignedPartition
  status: SubscriptionStatus
  state: PartitionState
  order: RecordOrder
  waiting: WaitingDeliveries
  router: DeliveryRouter
}

/**
 * The limit of concurrent transitions. Cancelled and rerouted deliveries need it, because they take no
 * endpoint slot.
 */
const mostTransitions = 512

/**
 * Finds blocked subscriptions whose next paused delivery may be cancelled. Such a delivery leaves
 * although its subscription is blocked.
 */
class PausedCancellations {
  /**
   * By list of cancellations, the queues whose next paused delivery the list does not cover. Each
   * state of a subscription has its own list.
   */
  readonly #ended = new WeakMap<Subscription['cancellations'], Set<string>>()

  /** @param queueId absent: of all queues */
  mayHave({ cancellations }: Subscription, queueId?: string): boolean {
    const mayBe = cancellations.some(({ status }) => status === 'paused')
    const ended = this.#ended.get(cancellations)
    return mayBe && (queueId === undefined ? ended === undefined : !ended?.has(queueId))
  }

  ended({ cancellations }: Subscription, queueId: string): void {
    const ended = this.#ended.get(cancellations) ?? new Set<string>()
    this.#ended.set(cancellations, ended.add(queueId))
  }
}

/** Tells which paused deliveries may leave now. */
export class ReleaseView implements PausedView {
  readonly #options: ReleaseViewOptions
  readonly #cancellations = new PausedCancellations()
  #wasNoneFree = false

  constructor(options: ReleaseViewOptions) {
    this.#options = options
  }

  slotsOf(subscriptionId: string, queueId?: string): number {
    const { subscriptions, endpoints, status, state } = this.#options
    if (state.isDraining) return -1
    const subscription = subscriptions.get(subscriptionId)
    if (subscription === undefined) return this.#freeTransitions
    if (subscription.url === null) return -1
    if (state.isRerouted(subscription.endpointId)) return this.#freeTransitions
    if (!status.isBlocked(subscription))
      return endpoints.of(subscription).slotsForPaused(subscriptionId)
    return this.#cancellations.mayHave(subscription, queueId) ? this.#freeTransitions : -1
  }

  endpointOf(subscriptionId: string, queueId: string): string | null {
    const subscription = this.#options.subscriptions.get(subscriptionId)
    if (!subscription?.deliverable || subscription.url === null) return null
    if (this.#options.state.isRerouted(subscription.endpointId)) return null
    const isBlocked = this.#options.status.isBlocked(subscription)
    const mayLeave = isBlocked && this.#cancellations.mayHave(subscription, queueId)
    return mayLeave ? null : subscription.endpointId
  }

  isPaused(subscriptionId: string): boolean {
    const { subscriptions, state } = this.#options
    if (state.isDraining || subscriptions.get(subscriptionId) === unloaded) return false
    return this.slotsOf(subscriptionId) < 0
  }

  mayGo(delivery: Delivery, queueId: string): boolean {
    const { subscriptions, status, state } = this.#options
    const subscription = subscriptions.get(delivery.job.subscriptionId)
    if (subscription === undefined || subscription.url === null) return true
    if (state.isRerouted(subscription.endpointId)) return true
    if (!status.isBlocked(subscription) || status.isCancelled(subscription, delivery)) return true
    this.#cancellations.ended(subscription, queueId)
    return false
  }

  isBusy(delivery: Delivery): boolean {
    return this.#options.order.isBusy(delivery, pausedMark(delivery.message).group)
  }

  /**
   * A retry that waits in the order of its record has a due time. If its subscription changed, the
   * delivery is decided at once. While it is not loaded, nothing is known to have changed.
   */
  dueAt(delivery: Delivery): number {
    const { subscriptions, status, state } = this.#options
    const { subscriptionId, url } = delivery.job
    const subscription = subscriptions.get(subscriptionId)
    const dueAt = () => retryDueAt(delivery.job, Date.now())
    if (subscription === unloaded) return dueAt()
    if (subscription?.url !== url || status.isCancelled(subscription, delivery)) return 0
    return state.isRerouted(subscription.endpointId) ? 0 : dueAt()
  }

  isNext(job: DeliveryJob): boolean {
    const { waiting, deliveries } = this.#options
    return !waiting.mayHaveEarlier(job.subscriptionId) && areEarlierKnown(job, deliveries)
  }

  /** All deliveries that wait are asked again then, which costs as much as there are queues. */
  transitionsFreeAgain(): boolean {
    if (!this.#wasNoneFree || this.#options.router.busy > mostTransitions / 2) return false
    this.#wasNoneFree = false
    return true
  }

  get #freeTransitions(): number {
    const free = Math.max(0, mostTransitions - this.#options.router.busy)
    if (free === 0) this.#wasNoneFree = true
    return free
  }
}

/**
 * Returns whether every delivery before this one is known. An earlier owner may have paused a job
 * behind others that were not finished. Those are read again, or wait in the log for their tenant's
 * share. A job that arrived under this owner is handed out before it can be paused.
 */
export function areEarlierKnown(
  { arrival, projectId }: Pick<DeliveryJob, 'arrival' | 'projectId'>,
  deliveries: Pick<AssignedPartition, 'endAtStart' | 'handedOutBelow'>,
): boolean {
  return deliveries.handedOutBelow(projectId) >= Math.min(arrival, deliveries.endAtStart)
}
