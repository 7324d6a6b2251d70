import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Endpoints } from '../endpoint/endpoints.ts'
import type { PausedView } from '../paused/paused-actions.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Delivery } from './delivery.ts'

export type ReleaseFacts = {
  subscriptions: Subscriptions
  endpoints: Endpoints<Delivery>
  /** The assigned partition of `webhook.deliveries`. */
  deliveries: AssignedPartition
  isHandingOver: () => boolean
  /** True if deliveries of the subscription are undecided: neither started nor paused. */
  hasUndecided: (subscriptionId: string) => boolean
  /** The number of transitions that Kafka has not acknowledged yet. */
  transitions: () => number
}

/**
 * The limit of concurrent transitions. Cancelled deliveries need it, because they take no endpoint
 * slot.
 */
const mostTransitions = 512

/** Decides from the present state which paused deliveries may be released. */
export function releaseView(facts: ReleaseFacts): PausedView {
  const { subscriptions, endpoints, deliveries, isHandingOver, hasUndecided } = facts
  const slotsOf = (subscriptionId: string): number => {
    if (isHandingOver()) return -1
    const subscription = subscriptions.get(subscriptionId)
    if (subscription === undefined) return Math.max(0, mostTransitions - facts.transitions())
    if (subscription.url === null || !subscription.deliverable) return -1
    const endpoint = endpoints.of(subscription.endpointId)
    return endpoint.circuit.isOpen ? -1 : endpoint.slotsForPaused
  }
  return {
    slotsOf,
    endpointOf: (subscriptionId) => {
      const subscription = subscriptions.get(subscriptionId)
      if (subscription === undefined || subscription.url === null) return null
      return subscription.deliverable ? subscription.endpointId : null
    },
    isPaused: (subscriptionId) => !isHandingOver() && slotsOf(subscriptionId) < 0,
    isNext: (job) => !hasUndecided(job.subscriptionId) && areEarlierKnown(job, deliveries),
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
