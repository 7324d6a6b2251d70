import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../../delivery/delivery.ts'
import { pausedQueueId } from '../../delivery/paused-headers.ts'
import type { Endpoints } from '../../endpoint/endpoints.ts'
import type { PausedView } from '../../paused/paused-actions.ts'
import type { Subscription, Subscriptions } from '../../subscriptions/subscriptions.ts'
import { type RetryLadder, retryDueAt } from '../../transitions/retry-ladder.ts'

export type ReleaseFacts = {
  subscriptions: Subscriptions
  endpoints: Endpoints<Delivery>
  ladder: RetryLadder
  /** The assigned partition of `webhook.deliveries`. */
  deliveries: AssignedPartition
  isDraining: () => boolean
  /** Whether the deliveries of a subscription are paused. */
  isBlocked: (subscription: Subscription) => boolean
  isCancelled: (subscription: Subscription, delivery: Delivery) => boolean
  /** Whether a delivery of the group has started and not ended. */
  isBusy: (queueId: string) => boolean
  /** Whether deliveries of the subscription are neither started nor paused yet. */
  hasUndecided: (subscriptionId: string) => boolean
  /** The number of transitions that Kafka has not acknowledged yet. */
  transitions: () => number
}

/**
 * The limit of concurrent transitions. Cancelled deliveries need it, because they take no endpoint
 * slot.
 */
const mostTransitions = 512

/**
 * Finds blocked subscriptions whose next paused delivery may be cancelled. Such a delivery leaves
 * although its subscription is blocked.
 */
class Cancelling {
  /**
   * Cancellations, and the queues whose next paused delivery they do not cover. Each state of a
   * subscription has its own list.
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

/** Returns the paused deliveries that may leave now. */
export function releaseView(facts: ReleaseFacts): PausedView {
  const { subscriptions, endpoints, deliveries, isDraining, hasUndecided } = facts
  const cancelling = new Cancelling()
  const freeTransitions = () => Math.max(0, mostTransitions - facts.transitions())
  const slotsOf = (subscriptionId: string, queueId?: string): number => {
    if (isDraining()) return -1
    const subscription = subscriptions.get(subscriptionId)
    if (subscription === undefined) return freeTransitions()
    if (subscription.url === null) return -1
    if (!facts.isBlocked(subscription)) return endpoints.of(subscription.endpointId).slotsForPaused
    return cancelling.mayHave(subscription, queueId) ? freeTransitions() : -1
  }
  return {
    slotsOf,
    endpointOf: (subscriptionId, queueId) => {
      const subscription = subscriptions.get(subscriptionId)
      if (!subscription?.deliverable || subscription.url === null) return null
      const mayLeave = facts.isBlocked(subscription) && cancelling.mayHave(subscription, queueId)
      return mayLeave ? null : subscription.endpointId
    },
    isPaused: (subscriptionId) => !isDraining() && slotsOf(subscriptionId) < 0,
    mayGo: (delivery) => {
      const subscription = subscriptions.get(delivery.job.subscriptionId)
      if (subscription === undefined || subscription.url === null) return true
      if (!facts.isBlocked(subscription) || facts.isCancelled(subscription, delivery)) return true
      cancelling.ended(subscription, pausedQueueId(delivery))
      return false
    },
    isBusy: facts.isBusy,
    dueAt: (delivery) => dueTimeOf(delivery, facts),
    isNext: (job) => !hasUndecided(job.subscriptionId) && areEarlierKnown(job, deliveries),
  }
}

/**
 * A retry that waits in the order of its record has a due time. If its subscription changed, the
 * delivery is decided at once.
 */
function dueTimeOf(delivery: Delivery, facts: ReleaseFacts): number {
  const { subscriptions, ladder, isCancelled } = facts
  const { subscriptionId, url } = delivery.job
  const subscription = subscriptions.get(subscriptionId)
  if (subscription?.url !== url || isCancelled(subscription, delivery)) return 0
  return retryDueAt(delivery.job, ladder, Date.now())
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
