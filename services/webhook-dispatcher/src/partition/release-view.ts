import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Endpoints } from '../endpoint/endpoints.ts'
import type { PausedView } from '../paused/paused-actions.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Delivery } from './delivery.ts'

export type ReleaseFacts = {
  subscriptions: Subscriptions
  endpoints: Endpoints<Delivery>
  /** `webhook.deliveries`. */
  deliveries: AssignedPartition
  isHandingOver: () => boolean
  /** Whether deliveries of the subscription are neither started nor paused yet. */
  hasUndecided: (subscriptionId: string) => boolean
  /** Number of transitions that Kafka has not acknowledged yet. */
  transitions: () => number
}

/** A cancelled delivery takes no slot of an endpoint: so many at once. */
const mostTransitions = 512

/** Which paused deliveries may go, as of now. */
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
 * A job that was paused by an earlier owner may have arrived after others that were not finished: they are
 * read again, or wait in the log for their tenant's share. What came after the partition did is handed
 * out before it can be paused.
 */
export function areEarlierKnown(
  { arrival, projectId }: Pick<DeliveryJob, 'arrival' | 'projectId'>,
  deliveries: Pick<AssignedPartition, 'endAtStart' | 'handedOutBelow'>,
): boolean {
  return deliveries.handedOutBelow(projectId) >= Math.min(arrival, deliveries.endAtStart)
}
